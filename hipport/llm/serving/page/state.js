// The state of the server, in words, with a spinner while the model is being opened.

import * as api from "./api.js";
import {at, pause} from "./elements.js";
import {key, open} from "./settings.js";

const OPENING = 500, AWAY = 2000;
let watching = false;

/** Follow the server until it can answer, and show its state; `known(model)` gets its model. */
export async function watch(known) {
  if (watching) return;
  watching = true;
  for (let wait; (wait = await look(known));) await pause(wait);
  watching = false;
}

/** Show the state once; return the milliseconds after which to look again, 0 for never. */
async function look(known) {
  try {
    const model = await api.model(key());
    known(model);
    const health = await api.health();
    if (health.status === "opening") return opening(model, health);
    say(health.status === "failing" ? `${model.id}: the last answer failed: ${health.error}` : model.id);
    return 0;
  } catch (error) {
    say(error.status ? error.message : "No connection to the server; trying again", {spins: !error.status});
    if (error.status === 401) open(error.message);
    return error.status ? 0 : AWAY;
  }
}

function opening(model, {step, loaded}) {
  say(`Opening ${model.id}${step ? `: ${step}` : ""}`, {spins: true, loaded});
  return OPENING;
}

function say(text, {spins = false, loaded = null} = {}) {
  at("state").textContent = text;
  at("spinner").hidden = !spins;
  at("loaded").hidden = loaded === null;
  at("loaded").value = loaded ?? 0;
}
