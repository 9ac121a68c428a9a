// The list of conversations.

import {at, button, make} from "./elements.js";
import {title} from "./store.js";

/** Show the conversations. `actions`: `open(chat)`, `rename(chat, title)`, `remove(chat)`. */
export function showChats(chats, current, actions) {
  at("chats").replaceChildren(...chats.map(chat => item(chat, chat.id === current.id, actions)));
  at("clear").hidden = !chats.length;
}

function item(chat, isCurrent, actions) {
  const name = title(chat), open = button(name, () => actions.open(chat), {className: "title", title: name});
  if (isCurrent) open.ariaCurrent = "page";
  const rename = button("✎", () => edit(chat, open, actions), {title: "Rename", ariaLabel: `Rename ${name}`});
  const remove = button("✕", () => actions.remove(chat), {title: "Delete", ariaLabel: `Delete ${name}`});
  return make("li", {}, open, rename, remove);
}

function edit(chat, open, actions) {
  const name = title(chat), field = make("input", {value: name, ariaLabel: "Title"});
  const done = text => { field.onblur = null; actions.rename(chat, text); };
  field.onblur = () => done(field.value.trim());
  field.onkeydown = event => {
    if (event.key === "Enter" && !event.isComposing) done(field.value.trim());
    if (event.key === "Escape") done(chat.title);
  };
  open.replaceWith(field);
  field.select();
}
