// A message of the conversation on the page.

import {button, copy, make} from "./elements.js";
import {Rendered} from "./rendered.js";

const FENCE = /^ {0,3}(```|~~~)/m;

/** Shows a message. `actions`: `edit(text)` for questions, which returns whether it is sent; `again()` for answers. */
export class MessageView {
  constructor(message, actions, render, follow) {
    this.message = message;
    this.actions = actions;
    this.text = make("div", {className: "text"});
    this.note = make("p", {className: "note"});
    this.speed = make("small", {className: "speed"});
    this.again = button("Regenerate", () => actions.again(), {hidden: true});
    this.copy = button("Copy", event => copy(message.content, event.target));
    this.row = make("footer", {}, this.copy);
    const asked = message.role === "user";
    this.row.append(...(asked ? [button("Edit", () => this.edit(), {className: "change"})] : [this.again, this.speed]));
    this.element = make("article", {className: message.role}, make("h2", {}, asked ? "You" : "Model"));
    this.element.append(this.text, this.note, this.row);
    this.rendered = new Rendered(this.text, render, follow);
    this.show();
  }

  /** Show the message as it is now; `isLast`: it is complete. Questions are as typed, unless they have code blocks. */
  show(isLast = true) {
    const {role, content, note, error, stats} = this.message;
    this.copy.hidden = !content;
    this.note.textContent = error || note || "";
    this.note.classList.toggle("error", Boolean(error));
    this.again.textContent = error ? "Try again" : "Regenerate";
    this.speed.textContent = stats ? spelled(stats) : "";
    if (content && (role === "assistant" || FENCE.test(content))) this.rendered.show(content, isLast);
    else this.rendered.plain(content);
  }

  /** Mark the answer as being written, or as complete. */
  busy(is) {
    this.element.ariaBusy = String(is);
    this.element.classList.toggle("busy", is);
  }

  edit() {
    const area = make("textarea", {value: this.message.content, rows: 3, ariaLabel: "Edit message"});
    const form = make("div", {className: "edit"}, area);
    const close = () => { form.replaceWith(this.text); this.row.hidden = false; };
    const send = () => {
      if (area.value.trim() && this.actions.edit(area.value.trim())) close();
    };
    form.append(make("div", {className: "row"}, button("Cancel", close), button("Send", send, {className: "main"})));
    area.addEventListener("keydown", event => {
      if (event.key === "Escape") close();
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      send();
    });
    this.text.replaceWith(form);
    this.row.hidden = true;
    area.focus();
  }
}

function spelled({tokens, seconds, first}) {
  const parts = [tokens === 1 ? "1 token" : `${tokens} tokens`];
  if (tokens > 1 && seconds > 0) parts.push(`${((tokens - 1) / seconds).toFixed(1)} tokens/s`);
  if (first !== null) parts.push(`first after ${first.toFixed(first < 1 ? 2 : 1)} s`);
  return parts.join(" · ");
}
