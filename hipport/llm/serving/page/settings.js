// Settings: sampling for all conversations, the system prompt of one, the key of this tab.

import {at} from "./elements.js";

const STORED = "hipport.settings", KEY = "hipport.key";
const NUMBERS = ["temperature", "top_p", "top_k", "min_p", "repetition_penalty", "seed", "max_completion_tokens"];

/** Return the key for the server, "" for none. */
export const key = () => at("key").value.trim();

/** Return the sampling parameters of a request; those that are not set or not valid are left out. */
export function sampling() {
  const set = NUMBERS.map(at).filter(field => field.value !== "" && field.validity.valid);
  return Object.fromEntries(set.map(field => [field.id, field.valueAsNumber]));
}

/** Open the dialog; `wanted` says what the server asks for. */
export function open(wanted = "") {
  at("wanted").textContent = wanted;
  at("wanted").hidden = !wanted;
  if (!at("settings").open) at("settings").showModal();
  if (wanted) at("key").focus();
}

/** Restore the settings and save changes. `onKey` and `onSystem(text)` are called when these change. */
export function connect({onKey, onSystem}) {
  restore();
  for (const field of NUMBERS.map(at)) field.addEventListener("change", keep);
  at("key").addEventListener("change", () => { keep(); onKey(); });
  at("system").addEventListener("input", () => onSystem(at("system").value));
  at("set").addEventListener("click", () => open());
  at("close").addEventListener("click", () => at("settings").close());
}

function restore() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED) ?? "{}");
    for (const name of NUMBERS) if (name in kept) at(name).value = kept[name];
    at("key").value = sessionStorage.getItem(KEY) ?? "";
  } catch {
    return; // no storage, or not ours
  }
}

function keep() {
  try {
    localStorage.setItem(STORED, JSON.stringify(Object.fromEntries(NUMBERS.map(name => [name, at(name).value]))));
    sessionStorage.setItem(KEY, key());
  } catch {
    return; // they hold until the page is closed
  }
}
