"use strict";
// Sorting, filtering and drawing of the table; nothing is fetched.
const { columns, rows } = JSON.parse(document.getElementById("data").textContent);
const STEP = 500; // rows drawn at once
const at = Object.fromEntries(columns.map((column, k) => [column.name, k]));
const numeric = columns.map((_, k) => rows.some((row) => typeof row[k] === "number"));
const by = (id) => document.getElementById(id);
const state = { column: "rank" in at ? at.rank : 0, down: false, most: STEP };

function compare(a, b) {
  const missing = (a === null || a === undefined) - (b === null || b === undefined);
  if (missing) return { missing };
  if (a === null || a === undefined) return { order: 0 };
  if (typeof a === "number" && typeof b === "number") return { order: a - b };
  if (typeof a === "boolean" && typeof b === "boolean") return { order: Number(b) - Number(a) };
  return { order: String(a).localeCompare(String(b), undefined, { numeric: true }) };
}

function chosen() {
  const words = by("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = { kind: by("kind").value, robot: by("robot").value };
  const found = rows.filter((row) => {
    for (const name of ["kind", "robot"]) if (wanted[name] && row[at[name]] !== wanted[name]) return false;
    const text = row.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return found.sort((a, b) => {
    const { missing, order } = compare(a[state.column], b[state.column]);
    if (missing !== undefined) return missing; // what was not measured comes last either way
    return (state.down ? -order : order) || a[at.rank] - b[at.rank];
  });
}

function words(value, k) {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) ? String(value) : value.toFixed(columns[k].digits);
}

function cell(value, k) {
  const td = document.createElement("td");
  const name = columns[k].name;
  if (name === "motion" && value) {
    const link = document.createElement("a");
    link.href = value.split("/").map(encodeURIComponent).join("/");
    link.textContent = "npz";
    link.title = value;
    td.append(link);
    return td;
  }
  td.textContent = words(value, k);
  if (numeric[k]) td.className = "number";
  if (name === "trial" || name === "style") td.className = "who";
  if (name === "kind") td.className = "k-" + String(value).replace(" ", "-");
  if (typeof value === "string" && value.length > 30) td.title = value;
  return td;
}

function draw() {
  const found = chosen();
  const body = document.createDocumentFragment();
  for (const row of found.slice(0, state.most)) {
    const tr = document.createElement("tr");
    row.forEach((value, k) => tr.append(cell(value, k)));
    body.append(tr);
  }
  document.querySelector("#table tbody").replaceChildren(body);
  by("shown").textContent = found.length === rows.length ? "" : `${found.length} of ${rows.length}`;
  by("more").hidden = found.length <= state.most;
  document.querySelectorAll("#table th").forEach((th, k) => {
    const sort = k !== state.column ? "none" : state.down ? "descending" : "ascending";
    th.setAttribute("aria-sort", sort);
  });
}

columns.forEach((column, k) => {
  const th = document.createElement("th");
  th.title = column.doc;
  if (numeric[k]) th.className = "number";
  if (column.name === "trial" || column.name === "style") th.className = "who";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = column.title;
  button.addEventListener("click", () => {
    state.down = state.column === k ? !state.down : false;
    state.column = k;
    state.most = STEP;
    draw();
  });
  th.append(button);
  document.querySelector("#table thead tr").append(th);
});
for (const name of ["kind", "robot"]) {
  for (const value of [...new Set(rows.map((row) => row[at[name]]))]) by(name).append(new Option(value, value));
  by(name).addEventListener("change", draw);
}
by("filter").addEventListener("input", draw);
by("more").addEventListener("click", () => {
  state.most += 4 * STEP;
  draw();
});
draw();
