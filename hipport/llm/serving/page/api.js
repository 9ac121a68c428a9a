// Requests to the server.

export class Refusal extends Error {
  constructor(status, error) {
    super(error?.message ?? `the server answered with status ${status}`);
    this.status = status;
    this.code = error?.code;
  }
}

async function refusal(response) {
  const body = await response.json().catch(() => null);
  return new Refusal(response.status, body?.error);
}

function headers(key) {
  return {"Content-Type": "application/json", ...(key && {Authorization: `Bearer ${key}`})};
}

/** Return the first model of the server: its `id` and `max_model_len`. */
export async function model(key) {
  const response = await fetch("v1/models", {headers: headers(key)});
  if (!response.ok) throw await refusal(response);
  return (await response.json()).data[0];
}

/** Return the state of the server; its status is 503 unless the `status` is ok. */
export async function health() {
  return (await fetch("health")).json();
}

/** Return the HTML of Markdown. */
export async function markdown(text, key) {
  const response = await fetch("page/markdown", {method: "POST", headers: headers(key), body: JSON.stringify({text})});
  if (!response.ok) throw await refusal(response);
  return (await response.json()).html;
}

/** Yield the pieces of an answer. Throws if the answer does not arrive up to its end. */
export async function* answer(request, key, signal) {
  const body = JSON.stringify({...request, stream: true, stream_options: {include_usage: true, continuous_usage_stats: true}});
  const response = await fetch("v1/chat/completions", {method: "POST", headers: headers(key), body, signal});
  if (!response.ok) throw await refusal(response);
  for await (const data of events(response)) {
    if (data === "[DONE]") return;
    const piece = JSON.parse(data);
    if (piece.error) throw new Refusal(0, piece.error);
    yield piece;
  }
  throw new Error("the connection ended before the answer did");
}

async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let held = "";;) {
    const {value, done} = await reader.read();
    if (done) return;
    const lines = (held + value).split("\n");
    held = lines.pop();
    for (const line of lines) if (line.startsWith("data: ")) yield line.slice(6);
  }
}
