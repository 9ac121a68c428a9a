// Short ways to find and make elements.

export const at = id => document.getElementById(id);

/** Return a new element with properties and children, which are elements or text. */
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

export const button = (text, onclick, properties = {}) => make("button", {type: "button", onclick, ...properties}, text);

export const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));

/** Copy text and say so on the button for a moment. */
export async function copy(text, from) {
  const done = await written(text), name = from.dataset.name ??= from.textContent;
  from.textContent = done ? "Copied" : "Not copied";
  await pause(1500);
  from.textContent = name;
}

async function written(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true, () => false);
  const area = make("textarea", {value: text, className: "hidden"}); // without TLS, browsers have no clipboard object
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
