// Conversations in the browser's storage, each under a key of its own: two tabs do not overwrite each other's.

const PREFIX = "hipport.chat.";
const LONGEST_TITLE = 60;

export function fresh(system = "") {
  const id = Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
  return {id, title: "", changed: Date.now(), system, messages: []};
}

/** Return the title that the user chose, or else the beginning of the first question. */
export function title(chat) {
  const first = chat.messages.find(message => message.role === "user")?.content.trim().split("\n", 1)[0] ?? "";
  const begun = first.length > LONGEST_TITLE ? `${first.slice(0, LONGEST_TITLE - 1)}…` : first;
  return chat.title || begun || "New conversation";
}

/** Return all conversations, the latest first. */
export function all() {
  try {
    const keys = Object.keys(localStorage).filter(key => key.startsWith(PREFIX));
    return keys.map(read).filter(isChat).sort((a, b) => b.changed - a.changed);
  } catch {
    return [];
  }
}

/** Save a conversation. Throws if the browser's storage is full or switched off. */
export function save(chat) {
  localStorage.setItem(PREFIX + chat.id, JSON.stringify(chat));
}

export function remove(chat) {
  localStorage.removeItem(PREFIX + chat.id);
}

/** Call a function when another tab changed a conversation. */
export function onChange(changed) {
  addEventListener("storage", event => { if (event.key === null || event.key.startsWith(PREFIX)) changed(); });
}

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function isChat(value) {
  return typeof value?.id === "string" && typeof value.title === "string" && typeof value.system === "string"
    && Array.isArray(value.messages) && value.messages.every(isMessage);
}

function isMessage(value) {
  return ["user", "assistant"].includes(value?.role) && typeof value.content === "string";
}
