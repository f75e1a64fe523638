// Elements, numbers and words. Whatever came from a file becomes a text node: nothing here is ever parsed as markup.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const DASH = "–";

function put(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, heard] of Object.entries(value)) node.addEventListener(event, heard);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const el = (name, attributes, ...children) => put(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => put(document.createElementNS(SVG, name), attributes, children);

// A text that a person or a model wrote: its own direction, whatever stands around it.
const words = (text) => el("bdi", null, text);

const quiet = (text) => el("span", { class: "quiet" }, text);

const minus = (text) => (/^-0\.?0*$/.test(text) ? text.slice(1) : text.replace("-", "−"));

const grouped = (number) => minus(String(number)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

const FORMATS = {
  score: (value) => minus(Math.abs(value) >= 1e6 ? value.toExponential(3) : value.toFixed(3)),
  share: (value) => minus((100 * value).toFixed(1)) + " %",
  chance: (value) => (value < 0.0005 ? "< 0.001" : value.toFixed(3)),
  count: (value) => (Number.isInteger(value) ? grouped(value) : minus(value.toFixed(1))),
};

const isNumeric = (column) => column.kind !== "text";

function shown(column, value) {
  if (value === null || value === "") return "";
  return typeof value === "string" ? value : FORMATS[column.kind](value);
}

const score = (value) => (typeof value === "number" ? FORMATS.score(value) : value === null ? DASH : value);

// A cell without a value says so to those who do not see the dash, and why, where that is known.
function undefinedMark(reason) {
  return el(
    "span",
    { class: "undefined", title: reason || "undefined" },
    el("span", { "aria-hidden": "true" }, DASH),
    quiet(reason ? "undefined: " + reason : "undefined"),
  );
}

// A link to a file beside the page; every part is encoded, so that no name can be an address.
function fileLink(folder, name, text) {
  const path = (folder + "/" + name)
    .split("/")
    .map((part) => (part === ".." || part === "." ? part : encodeURIComponent(part)));
  const start = folder.startsWith("/") || folder.startsWith("..") ? "" : "./";
  return el("a", { href: start + path.join("/") }, words(text || name));
}

// Columns come with their texts apart, where the same ones come again and again.
function unpacked(columns) {
  return columns.map((column) =>
    column.texts ? { ...column, texts: undefined, cells: column.cells.map((place) => column.texts[place]) } : column,
  );
}

const plural = (count, noun) => grouped(count) + " " + noun + (count === 1 ? "" : "s");

function announce(text) {
  document.getElementById("status").textContent = text;
}

// Whoever shows models hears what the reader looks for.
const filter = { text: "", listeners: [] };
const isWanted = (model) => !filter.text || model.toLowerCase().includes(filter.text);
function onFilter(listener) {
  filter.listeners.push(listener);
  listener();
}
