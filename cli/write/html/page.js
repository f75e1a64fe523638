// The page: what stands at its top, a section per family, and how they hear of each other.
"use strict";

const openers = new Map(); // family → the function that opens one of its models

function themeButton() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const button = el("button", {
    type: "button",
    class: "theme",
    on: {
      click: () => {
        root.dataset.theme = isDark() ? "light" : "dark";
        say();
      },
    },
  });
  function say() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  }
  dark.addEventListener("change", say);
  say();
  return button;
}

function topBar() {
  const models = new Set(DATA.families.flatMap((family) => family.runs.flatMap((run) => run.names)));
  const box = searchBox(
    "Models",
    (text) => {
      filter.text = text;
      for (const listener of filter.listeners) listener();
      announce(plural([...models].filter(isWanted).length, "model") + " of " + models.size);
    },
    "filter by name",
  );
  const links = DATA.families.map((family) => el("li", null, el("a", { href: "#" + family.id }, family.id)));
  return el(
    "header",
    { class: "top" },
    el("a", { class: "brand", href: "#main" }, "scoresheet"),
    el("nav", { "aria-label": "Families" }, el("ul", null, links)),
    box,
    themeButton(),
  );
}

function overview() {
  const cards = DATA.families.map((family) => {
    const run = family.runs[0];
    const count = run.counts || {};
    return el(
      "li",
      null,
      el("h2", null, el("a", { href: "#" + family.id }, family.title)),
      run.answer ? el("p", null, words(run.answer)) : null,
      el(
        "p",
        { class: "meta" },
        plural(run.names.length, "model"),
        " · ",
        plural(count.rows || 0, "row"),
        " · ",
        plural(run.problems.total, "problem"),
        family.runs.length > 1 ? " · " + family.runs.length + " runs" : "",
      ),
    );
  });
  const many = DATA.families.length > 1;
  return el(
    "section",
    { class: "overview", "aria-labelledby": "title" },
    el("h1", { id: "title" }, "Results"),
    many ? el("ul", { class: "cards" }, cards) : null,
    across(),
  );
}

// Where families have models in common, their headlines side by side.
function across() {
  const latest = DATA.families.map((family) => family.runs[0]).filter((run) => run.headlineColumn);
  const times = new Map();
  for (const run of latest) for (const name of run.names) times.set(name, (times.get(name) || 0) + 1);
  if (![...times.values()].some((count) => count > 1)) return null;
  const names = [...times.keys()];
  const places = latest.map((run) => new Map(run.names.map((name, row) => [name, row])));
  const columns = [
    { name: "Model", kind: "text", cells: names },
    ...latest.map((run, number) => ({
      name: run.headline,
      kind: run.headlineColumn.kind,
      better: run.headlineColumn.better,
      about: run.headlineColumn.about,
      cells: names.map((name) => (places[number].has(name) ? run.point(places[number].get(name)).value : null)),
    })),
  ];
  const table = sortableTable({
    caption: "Every model in the headline of every family",
    columns,
    header: "Model",
    wanted: (row) => isWanted(names[row]),
    reason: (each, row) => {
      const number = columns.indexOf(each) - 1;
      return places[number].has(names[row])
        ? latest[number].reason(latest[number].headlineColumn, places[number].get(names[row]))
        : "not in this family’s run";
    },
  });
  onFilter(table.refresh);
  return table.element;
}

function familySection(family) {
  const body = el("div");
  const title = el("h2", { id: family.id, tabindex: "-1" }, family.title);
  const select =
    family.runs.length > 1
      ? el(
          "label",
          { class: "search" },
          el("span", null, "Run"),
          el(
            "select",
            { on: { change: (event) => show(Number(event.target.value)) } },
            family.runs.map((run, place) =>
              el("option", { value: place }, run.started.replace("T", " ").slice(0, 16) + " · " + run.folder),
            ),
          ),
        )
      : null;
  let kept = [];

  function show(place) {
    filter.listeners = filter.listeners.filter((listener) => !kept.includes(listener)); // those of the run shown before
    const before = filter.listeners.length;
    const run = family.runs[place];
    const modelButton = (name) =>
      el(
        "button",
        { type: "button", class: "model", title: name, on: { click: () => openers.get(family.id)(name) } },
        words(name),
      );
    const one = modelPart(family, run);
    openers.set(family.id, one.open);
    body.replaceChildren(
      ...[
        run.answer ? el("p", { class: "answer" }, words(run.answer)) : null,
        el(
          "p",
          { class: "meta" },
          fileLink(run.folder, run.workbook, run.folder),
          " · " + run.started.replace("T", " ").slice(0, 16) + " · scoresheet " + run.version + " · ",
          plural(run.names.length, "model"),
          " · ",
          plural(run.counts.rows || 0, "row"),
        ),
        scoresPart(run, modelButton),
        resultsPart(family, run, modelButton),
        comparisonsPart(family, run),
        historyPart(family, family.runs),
        one.section,
        problemsPart(family, run),
        methodPart(family, family.runs, place),
      ].filter(Boolean),
    );
    kept = filter.listeners.slice(before);
  }

  show(0);
  return el("section", { class: "family", "aria-labelledby": family.id }, title, select, body);
}

function start() {
  for (const family of DATA.families) family.runs = family.runs.map(readRun);
  document.getElementById("top").append(topBar());
  document
    .getElementById("main")
    .append(
      overview(),
      ...DATA.families.map(familySection),
      el(
        "footer",
        null,
        "Made by scoresheet " +
          DATA.version +
          " report; nothing was computed for it. Links lead to files where they were when it was made.",
      ),
    );
  window.addEventListener("beforeprint", () =>
    document.querySelectorAll("details").forEach((each) => {
      each.open = true;
    }),
  );
  if (window.location.hash) {
    // what it names is there only now
    const named = document.getElementById(window.location.hash.slice(1));
    if (named) named.scrollIntoView();
  }
}

start();
