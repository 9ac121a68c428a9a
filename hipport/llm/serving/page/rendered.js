// Text that the server renders as Markdown, while it is being written.

const SOONEST = 150, LATEST = 800; // milliseconds between two renderings
const SHARE = 3; // a pause is this many times as long as the rendering before it, which takes the server's time

/** Shows the text last given to `show` in an element: plain until it is rendered, or if it cannot be. */
export class Rendered {
  constructor(element, render, follow) {
    Object.assign(this, {element, render, follow, working: false, isPlain: true});
  }

  /** Show a text; at once if it is the last one. */
  show(text, isLast) {
    Object.assign(this, {wanted: text, isLast});
    if (isLast) this.wake?.();
    if (this.isPlain) this.plain(text);
    if (!this.working) this.work();
  }

  async work() {
    this.working = true;
    for (let shown = null; shown !== this.wanted;) {
      const text = this.wanted, started = performance.now();
      try {
        const html = await this.render(text);
        this.follow(() => update(this.element, html));
        this.element.classList.remove("plain");
        this.isPlain = false;
      } catch {
        this.plain(text);
      }
      shown = text;
      if (!this.isLast) await this.pause(SHARE * (performance.now() - started));
    }
    this.working = false;
  }

  pause(milliseconds) {
    return new Promise(done => {
      this.wake = done;
      setTimeout(done, Math.min(Math.max(SOONEST, milliseconds), LATEST));
    });
  }

  plain(text) {
    this.follow(() => { this.element.textContent = text; });
    this.element.classList.add("plain");
    this.isPlain = true;
  }
}

/** Replace the children that differ; the beginning stays, and what is selected there. */
function update(element, html) {
  const fresh = document.createElement("template");
  fresh.innerHTML = html; // from the server's renderer, which escapes HTML; the page's policy forbids inline scripts
  const old = [...element.childNodes], next = [...fresh.content.childNodes];
  const first = next.findIndex((node, i) => !old[i]?.isEqualNode(node));
  const same = first < 0 ? next.length : first;
  old.slice(same).forEach(node => node.remove());
  element.append(...next.slice(same));
}
