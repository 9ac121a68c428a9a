const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const codes = all(".codes input");
const severities = all("[name=severity]");
const search = document.querySelector("[type=search]");
const list = document.querySelector("#files");
const files = all(".file").map(element => ({
  element, name: element.querySelector("code").textContent, rows: all("tr[data-code]", element),
}));
const checked = boxes => new Set(boxes.filter(box => box.checked).map(box => box.value));

function filter() {
  const [kept, levels] = [checked(codes), checked(severities)];
  const unfiltered = kept.size === codes.length && levels.size === severities.length;
  const wanted = search.value.toLowerCase();
  for (const { element, name, rows } of files) {
    for (const row of rows) row.hidden = !kept.has(row.dataset.code) || !levels.has(row.dataset.severity);
    element.hidden = !name.toLowerCase().includes(wanted) || !(unfiltered || rows.some(row => !row.hidden));
  }
}

function sort(key) {
  const byName = (a, b) => a.name < b.name ? -1 : Number(a.name > b.name);
  const most = (a, b) => b.element.dataset[key] - a.element.dataset[key];
  files.sort((a, b) => (key === "name" ? 0 : most(a, b)) || byName(a, b));
  list.append(...files.map(file => file.element));
}

/* A link into a closed part opens it. */
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  target.scrollIntoView();
}

if (list) {
  [...codes, ...severities].forEach(box => box.addEventListener("change", filter));
  search.addEventListener("input", filter);
  document.querySelector(".filters select").addEventListener("change", event => sort(event.target.value));
  all("[data-codes]").forEach(button => button.addEventListener("click", () => {
    codes.forEach(box => { box.checked = Boolean(button.dataset.codes); });
    filter();
  }));
  all("[data-open]").forEach(button => button.addEventListener("click", () => {
    all("details", list).forEach(part => { part.open = Boolean(button.dataset.open); });
  }));
  filter();  // browsers keep the state of boxes when a page is loaded again
}
window.addEventListener("hashchange", reveal);
reveal();
