// The chat page: the current conversation, and what the user does with it.

import * as api from "./api.js";
import {at, copy} from "./elements.js";
import {MessageView} from "./message.js";
import * as settings from "./settings.js";
import {showChats} from "./sidebar.js";
import {watch} from "./state.js";
import * as store from "./store.js";

const NEAR = 40; // pixels from the end within which the page follows the answer
let chat = store.all()[0] ?? store.fresh(), views = [], running = null, context = 0;
let leaving = false;
const removed = new Set();

function follow(change) {
  const talk = at("talk"), below = talk.scrollHeight - talk.scrollTop - talk.clientHeight < NEAR;
  change();
  if (below) talk.scrollTop = talk.scrollHeight;
}

function view(message) {
  const actions = {edit: text => edit(message, text), again: regenerate};
  const made = new MessageView(message, actions, text => api.markdown(text, settings.key()), follow);
  views.push(made);
  follow(() => at("messages").append(made.element));
  return made;
}

function open(other) {
  running?.abort();
  chat = other;
  views = [];
  at("messages").replaceChildren();
  chat.messages.forEach(view);
  at("talk").scrollTop = at("talk").scrollHeight;
  at("system").value = chat.system;
  menu(false);
  refresh();
  at("question").focus();
}

/** Show what depends on the whole conversation: list, title, buttons, used context. */
function refresh() {
  const list = {open, rename, remove};
  showChats(store.all(), chat, list);
  document.title = `${store.title(chat)} · hipport chat`;
  at("empty").hidden = Boolean(views.length);
  views.forEach((each, i) => { each.again.hidden = Boolean(running) || i < views.length - 1; });
  at("messages").classList.toggle("running", Boolean(running));
  at("stop").hidden = !running;
  at("send").disabled = Boolean(running);
  const stats = chat.messages.findLast(message => message.stats)?.stats;
  const used = stats ? stats.prompt + stats.tokens : 0;
  at("used").textContent = context ? `Context: ${used} of ${context} tokens` : "";
  Object.assign(at("context"), {hidden: !context, max: context || 1, high: 0.8 * context, value: used});
}

function keep() {
  chat.changed = Date.now();
  try {
    store.save(chat);
    warn("");
  } catch (error) {
    warn(`This conversation is not kept: ${error.message}`);
  }
  refresh();
}

function warn(text) {
  at("warning").textContent = text;
  at("warning").hidden = !text;
}

/** Return the messages for the model, without questions that have no answer: templates expect turns. */
function turns() {
  const told = chat.messages.filter(message => message.content).map(({role, content}) => ({role, content}));
  const turn = told.filter((message, i) => message.role === "assistant" || told[i + 1]?.role !== "user");
  return chat.system.trim() ? [{role: "system", content: chat.system.trim()}, ...turn] : turn;
}

async function ask(question) {
  const message = {role: "user", content: question};
  chat.messages.push(message);
  view(message);
  at("talk").scrollTop = at("talk").scrollHeight;
  await answer();
}

/** Answer the last question; `instead` is an answer that stays if there is no new one. */
async function answer(instead = null) {
  const request = {messages: turns(), ...settings.sampling()}, message = {role: "assistant", content: ""}, own = chat;
  const shown = view(message);
  running = new AbortController();
  own.messages.push(message);
  keep();
  shown.busy(true);
  try {
    await receive(request, message, shown, running.signal);
  } catch (error) {
    if (error.name === "AbortError" || leaving) message.note = "stopped";
    else fail(message, error);
  }
  if (!message.content && !message.error) message.note ??= "an empty answer";
  if (!message.content && instead) Object.assign(message, instead, {error: message.error, note: message.note});
  running = null;
  shown.busy(false);
  follow(() => {
    shown.show();
    if (own === chat) keep();
    else leave(own);
  });
  at("question").focus();
}

/** Save a conversation that was left while an answer was written, unless it was deleted. */
function leave(own) {
  if (!removed.has(own.id)) store.save(own);
  refresh();
}

async function receive(request, message, shown, signal) {
  const started = performance.now();
  let begun = null;
  for await (const {choices: [choice], usage} of api.answer(request, settings.key(), signal)) {
    message.content += choice?.delta.content ?? "";
    if (choice?.finish_reason === "length") message.note = "cut off: as long as an answer may be";
    if (usage?.completion_tokens) {
      const now = performance.now();
      begun ??= now;
      const seconds = (now - begun) / 1000, {prompt_tokens: prompt, completion_tokens: tokens} = usage;
      if (tokens !== message.stats?.tokens) message.stats = {tokens, prompt, seconds, first: (begun - started) / 1000};
    }
    shown.show(false);
    refresh();
  }
}

function fail(message, error) {
  const advice = "Start a new conversation, edit an earlier question, or lower “Tokens at most”.";
  message.error = error instanceof TypeError ? "The connection to the server was lost." : error.message;
  if (error.code === "context_length_exceeded") message.error += `. ${advice}`;
  if (error instanceof TypeError || error.code === "model_opening" || error.status === 401) watch(known);
}

function edit(message, text) {
  if (running) return false;
  const place = chat.messages.indexOf(message);
  chat.messages.splice(place);
  views.splice(place).forEach(each => each.element.remove());
  ask(text);
  return true;
}

function regenerate() {
  if (running) return;
  const old = chat.messages.pop();
  views.pop().element.remove();
  if (old.role === "user") ask(old.content);
  else answer(old.content ? old : null);
}

function rename(other, title) {
  const renamed = other.id === chat.id ? chat : other;
  renamed.title = title === store.title({...renamed, title: ""}) ? "" : title;
  store.save(renamed);
  refresh();
}

function remove(other) {
  if (!confirm(`Delete “${store.title(other)}”?`)) return;
  if (other.id === chat.id) running?.abort();
  forget(other);
  if (other.id === chat.id) open(store.all()[0] ?? store.fresh(chat.system));
  else refresh();
}

function forget(other) {
  removed.add(other.id);
  store.remove(other);
}

function clear() {
  if (!confirm("Delete all conversations in this browser?")) return;
  running?.abort();
  [chat, ...store.all()].forEach(forget);
  open(store.fresh(chat.system));
}

function menu(shows) {
  document.body.classList.toggle("menu", shows);
  at("menu").ariaExpanded = String(shows);
}

function known(model) {
  context = model.max_model_len ?? 0;
  refresh();
}

function send() {
  const question = at("question").value.trim();
  if (!question || running) return;
  at("question").value = "";
  ask(question);
}

function typed(event) {
  const last = views.findLast(each => each.message.role === "user");
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send();
  else if (event.key === "ArrowUp" && !at("question").value && last && !running) last.edit();
  else return;
  event.preventDefault();
}

at("form").addEventListener("submit", event => { event.preventDefault(); send(); });
at("question").addEventListener("keydown", typed);
at("stop").addEventListener("click", () => running?.abort());
at("new").addEventListener("click", () => open(store.fresh(chat.system)));
at("clear").addEventListener("click", clear);
at("menu").addEventListener("click", () => menu(!document.body.classList.contains("menu")));
at("talk").addEventListener("click", event => {
  const from = event.target.closest("button.copy");
  if (from) copy(from.closest("figure").querySelector("code").textContent, from);
});
addEventListener("keydown", event => {
  if (event.key === "Escape" && !at("settings").open) running ? running.abort() : menu(false);
});
settings.connect({
  onKey: () => { watch(known); views.forEach(each => each.show()); },
  onSystem: text => { chat.system = text; if (chat.messages.length) keep(); },
});
store.onChange(refresh);
addEventListener("beforeunload", () => { leaving = true; });
addEventListener("pagehide", () => {
  if (running) Object.assign(chat.messages.at(-1), {note: "stopped"});
  if (running) store.save(chat);
});
open(chat);
watch(known);
