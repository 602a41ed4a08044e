"use strict";
/* What both kinds of page use: elements made of text, numbers as people read them, tables that sort. */

/* Okabe and Ito's colours, which all kinds of colour vision tell apart; yellow is left out, as nobody reads it on white. */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/* An element; attributes by name, "on…" is a listener. Children are nodes or texts: never markup. */
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

function byId(id) { return document.getElementById(id); }

function readData() { return JSON.parse(byId("data").textContent); }

/* 75.25 → "1:15.25"; with hours where there are any. */
function clock(secs, digits) {
  if (secs === null || secs === undefined || !isFinite(secs)) return "–";
  const places = digits === undefined ? 2 : digits;
  const scale = Math.pow(10, places);
  let rest = Math.round(Math.abs(secs) * scale) / scale;
  const hours = Math.floor(rest / 3600);
  const minutes = Math.floor((rest - hours * 3600) / 60);
  rest -= hours * 3600 + minutes * 60;
  const two = (x) => String(x).padStart(2, "0");
  const tail = rest.toFixed(places).padStart(places ? places + 3 : 2, "0");
  return (secs < 0 ? "−" : "") + (hours ? hours + ":" + two(minutes) : minutes) + ":" + tail;
}

/* A number in at most four digits; a dash for what is not known, which is never 0. */
function number(x) {
  if (x === null || x === undefined || !isFinite(x)) return "–";
  if (Number.isInteger(x)) return String(x).replace("-", "−");
  const size = Math.abs(x);
  const text = size >= 1000 ? x.toFixed(0) : size >= 0.001 ? String(Number(x.toPrecision(3))) : x.toExponential(1);
  return text.replace("-", "−");
}

function percent(x) { return x === null || x === undefined ? "–" : (100 * x).toFixed(0) + " %"; }

function withUnit(x, unit) {
  const text = number(x);
  return text === "–" || !unit || unit === "1" ? text : text + " " + unit;
}

/* A table whose columns sort; columns are {title, hint, value(row), cell(row), left}. Empty values come last. */
function sortedTable(caption, columns, rows, options) {
  const settings = options || {};
  const body = el("tbody");
  let order = { column: settings.by || 0, up: true };
  const made = new Map();
  const heads = columns.map((column, i) => {
    const button = el("button", { type: "button", title: column.hint || null, onclick: () => sort(i) }, column.title);
    return el("th", { scope: "col", class: column.left ? "left" : null }, button);
  });
  function line(row) {
    if (!made.has(row)) {
      const cells = columns.map((column, i) => {
        const shown = column.cell ? column.cell(row) : column.value(row);
        return el(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: column.left ? "left" : null }, shown);
      });
      made.set(row, el("tr", {}, cells));
    }
    return made.get(row);
  }
  function draw() {
    const value = columns[order.column].value;
    const empty = (x) => x === null || x === undefined || x === "";
    const sorted = rows.slice().sort((a, b) => {
      const x = value(a), y = value(b);
      if (empty(x) || empty(y)) return empty(x) - empty(y);
      const sign = typeof x === "number" ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true });
      return order.up ? sign : -sign;
    });
    body.replaceChildren(...sorted.map(line));
    heads.forEach((head, i) => {
      const way = i !== order.column ? "none" : order.up ? "ascending" : "descending";
      head.setAttribute("aria-sort", way);
    });
  }
  function sort(i) {
    order = { column: i, up: order.column === i ? !order.up : true };
    draw();
  }
  draw();
  const table = el("table", { class: "sorted" }, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body);
  return { table, rows: made };
}

/* Copies a text in a form that is found whatever the case and the accents. */
function folded(text) { return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase(); }
