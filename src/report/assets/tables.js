/* The parts of a page that are no timeline. */

function transcriptTable(data, colourOf, go) {
  const flags = new Map();
  for (const mark of data.timeline.marks) {
    if (mark.by !== "turns" || mark.turn === null) continue;
    const text = { interruption: "▼ interrupts " + mark.whom, backchannel: "● “mhm” to " + mark.whom }[mark.kind];
    if (text) flags.set(mark.turn, (flags.get(mark.turn) || []).concat(text));
  }
  const rows = data.turns.map((turn) => {
    const told = (flags.get(turn.index) || []).concat(turn.contradicts ? ["another voice than the label’s talks most"] : []);
    const button = el("button", { type: "button", title: "Show this turn, and play it where there is media", onclick: () => go(turn) }, clock(turn.start, 1));
    const who = el("td", { class: "who" }, turn.speaker);
    who.style.color = colourOf(turn.speaker);
    const row = el("tr", {}, el("td", {}, button), who, el("td", { class: "words", dir: "auto" }, turn.text), el("td", { class: "flags" }, told.join(", ")));
    return { turn, row, text: folded(turn.speaker + " " + turn.text) };
  });
  const head = el("thead", {}, el("tr", {}, ["Start", "Speaker", "Words", "Marks"].map((h) => el("th", { scope: "col", class: "left" }, h))));
  byId("transcript").append(rows.length ? el("table", {}, head, el("tbody", {}, rows.map((r) => r.row))) : el("p", { class: "hint" }, "No turns."));
  const search = () => {
    const words = folded(byId("search").value).split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const fits = words.every((word) => row.text.includes(word));
      row.row.hidden = !fits;
      count += fits ? 1 : 0;
    }
    byId("found").textContent = count + " of " + rows.length + " turns";
  };
  byId("search").addEventListener("input", search);
  search();
  return rows;
}

function shaded(cell, share) {
  if (!isFinite(share) || share <= 0) return;
  cell.style.background = "rgba(0, 114, 178, " + (0.08 + 0.82 * share).toFixed(3) + ")";
  if (share > 0.5) cell.style.color = "#fff";
}

function reasons(missing) {
  return Object.entries(missing).map(([reason, count]) => reason.replace(/_/g, " ") + " ×" + count).join(", ");
}

function pairTables(data, view) {
  const box = byId("pairs");
  if (!data.matrices.length) { box.append(el("p", { class: "hint" }, "Nobody is told to talk with anybody: the table dyads is not there or empty.")); return; }
  const names = data.speakers.concat(data.matrices[0].cells.flatMap((c) => [c.who, c.whom])).filter((n, i, all) => all.indexOf(n) === i)
    .filter((n) => data.matrices[0].cells.some((c) => c.who === n || c.whom === n));
  const grid = el("div", { class: "matrices" });
  for (const matrix of data.matrices) {
    const column = data.columns[matrix.column] || { unit: "" };
    const most = Math.max(...matrix.cells.map((c) => Math.abs(c.value || 0)));
    const rows = names.map((who) => el("tr", {}, el("th", { scope: "row" }, who), names.map((whom) => {
      const cell = matrix.cells.find((c) => c.who === who && c.whom === whom);
      if (!cell) return el("td", {}, "");
      const why = cell.value === null ? reasons(cell.missing) : "of " + cell.n + (cell.n < cell.rows ? " of " + cell.rows : "");
      const node = el("td", { title: cell.n < cell.rows ? "without a value: " + reasons(cell.missing) : null },
        withUnit(cell.value, column.unit), el("small", {}, why));
      shaded(node, most ? Math.abs(cell.value || 0) / most : 0);
      return node;
    })));
    const table = el("table", { class: "matrix" }, el("caption", { title: view.definition(matrix.column) }, matrix.fold + " · " + matrix.column.replace("dyads.", "")),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, ""), names.map((n) => el("th", { scope: "col" }, n)))), el("tbody", {}, rows));
    grid.append(el("div", {}, el("h3", {}, matrix.title), el("div", { class: "wide" }, table),
      el("details", {}, el("summary", { class: "hint" }, "definition"), el("p", { class: "definition" }, view.definition(matrix.column)))));
  }
  box.append(grid);
}

/* Every value as a point, a box over the quartiles, a line at the median; a row a speaker. */
function spreadChart(box, spread, unit, colourOf) {
  const groups = spread.groups;
  const points = groups.flatMap((g, i) => g.values.map((v, k) => ({ v, i, y: groups.length - 1 - i + 0.5 + (((k * 0.618) % 1) - 0.5) * 0.5 })));
  points.sort((a, b) => a.v - b.v);
  if (!points.length) { box.append(el("p", { class: "hint" }, "No values.")); return null; }
  const series = groups.map((g, i) => points.map((p) => (p.i === i ? p.y : null)));
  const [low, high] = [points[0].v, points[points.length - 1].v];
  const room = (high - low || Math.abs(high) || 1) * 0.05;
  const draw = (u) => {
    const ratio = devicePixelRatio;
    groups.forEach((g, i) => {
      if (!g.five) return;
      const x = g.five.map((v) => u.valToPos(v, "x", true));
      const [top, bottom] = [u.valToPos(groups.length - i - 0.12, "y", true), u.valToPos(groups.length - 1 - i + 0.12, "y", true)];
      u.ctx.strokeStyle = colourOf(g.speaker);
      u.ctx.lineWidth = ratio;
      u.ctx.strokeRect(x[1], top, Math.max(x[3] - x[1], 1), bottom - top);
      u.ctx.lineWidth = 3 * ratio;
      u.ctx.beginPath();
      u.ctx.moveTo(x[2], top);
      u.ctx.lineTo(x[2], bottom);
      u.ctx.stroke();
    });
  };
  const axis = { stroke: "#59636e", font: "11px system-ui, 'DejaVu Sans', sans-serif", grid: { stroke: "#eef1f4" }, ticks: { stroke: "#d1d9e0", size: 4 } };
  return new uPlot({
    width: Math.min(box.clientWidth || 900, 1000), height: 60 + groups.length * 50, legend: { show: false }, cursor: { show: false },
    series: [{}].concat(groups.map((g) => ({ stroke: colourOf(g.speaker), paths: () => null, points: { show: true, size: 6, fill: colourOf(g.speaker) + "66", stroke: colourOf(g.speaker) } }))),
    scales: { x: { time: false, range: [low - room, high + room] }, y: { range: [0, groups.length] } },
    axes: [Object.assign({}, axis, { label: spread.column + (unit && unit !== "1" ? " (" + unit + ")" : ""), size: 26, labelSize: 20, labelFont: axis.font }),
      Object.assign({}, axis, { size: 130, splits: () => groups.map((_, i) => groups.length - 0.5 - i), values: () => groups.map((g) => g.speaker.slice(0, 18)), grid: { show: false } })],
    hooks: { draw: [draw] },
  }, [points.map((p) => p.v)].concat(series), box);
}

function spreadPart(data, view, colourOf) {
  const box = byId("spread"), pick = byId("spread-column");
  if (!data.spreads.length) { pick.parentNode.hidden = true; box.append(el("p", { class: "hint" }, "No turns.")); return; }
  data.spreads.forEach((s, i) => pick.append(el("option", { value: i }, s.column.replace("turns.", "").replace(/_/g, " "))));
  const draw = () => {
    const spread = data.spreads[pick.value];
    const unit = (data.columns[spread.column] || {}).unit;
    const chart = el("div", { class: "chart-box", role: "img", "aria-label": spread.column + " by speaker; the table below has its numbers" });
    const five = (i) => (g) => (g.five ? g.five[i] : null);
    const columns = [{ title: "Speaker", value: (g) => g.speaker, left: true }, { title: "Turns", value: (g) => g.turns }, { title: "With a value", value: (g) => g.values.length }]
      .concat(["Smallest", "25 %", "Median", "75 %", "Largest"].map((title, i) => ({ title, value: five(i), cell: (g) => number(five(i)(g)) })))
      .concat([{ title: "Without, and why", value: (g) => reasons(g.missing), cell: (g) => reasons(g.missing) || "none", left: true }]);
    box.replaceChildren(el("p", { class: "definition" }, view.definition(spread.column)), chart,
      el("div", { class: "wide" }, sortedTable("Quantiles by linear interpolation (type 7)" + (unit && unit !== "1" ? ", in " + unit : ""), columns, spread.groups).table));
    spreadChart(chart, spread, unit, colourOf);
  };
  pick.addEventListener("change", draw);
  draw();
}

function synchronyPart(data, view) {
  const box = byId("synchrony");
  if (!data.synchrony.length) { box.append(el("p", { class: "hint" }, "No pair to be set against each other.")); return; }
  box.append(el("p", { class: "hint" }, "Each line: how closely the second person’s signal follows the first’s at each lag. Chance is told by surrogates (windows shuffled within the interview) and by pseudo-pairs (the follower of another time): z is the distance of the best lag from the surrogates in their spread, p the share of surrogates that reach it. The tables keep of the surrogates these numbers and no curves."));
  const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
  const pair = (row) => row.from + " → " + row.to;
  for (const signal of [...new Set(data.synchrony.map((r) => r.signal))]) {
    const rows = data.synchrony.filter((r) => r.signal === signal);
    const drawn = rows.filter((r) => r.profile.some((x) => x !== null)).slice(0, 12);
    if (drawn.length) {
      box.append(el("h3", {}, signal.replace(/_/g, " ")));
      const step = drawn[0].step_secs;
      const length = Math.max(...drawn.map((r) => r.profile.length));
      const lags = Array.from({ length }, (_, i) => (step === null ? i : Math.round(i * step * 1000) / 1000));
      const chart = el("div", { class: "chart-box", role: "img", "aria-label": "Correlation by lag, " + signal + "; the table below has the best lag of each pair" });
      box.append(chart, el("p", { class: "legend" }, drawn.map((r, i) => {
        const sign = el("span", {}, ["━━ ", "╍╍ ", "┅┅ ", "╌╌ "][Math.floor(i / COLOURS.length) % 4] + pair(r));
        sign.style.color = COLOURS[i % COLOURS.length];
        return sign;
      })));
      const axis = { stroke: "#59636e", font: "11px system-ui, 'DejaVu Sans', sans-serif", grid: { stroke: "#eef1f4" }, ticks: { size: 4 }, labelSize: 20, labelFont: "11px system-ui, 'DejaVu Sans', sans-serif" };
      new uPlot({
        width: Math.min(box.clientWidth || 800, 800), height: 220, legend: { show: false }, cursor: { drag: { x: false, y: false } },
        scales: { x: { time: false } },
        series: [{}].concat(drawn.map((_, i) => ({ stroke: COLOURS[i % COLOURS.length], dash: dashes[Math.floor(i / COLOURS.length) % 4], width: 2, points: { show: true, size: 4 } }))),
        axes: [Object.assign({}, axis, { label: step === null ? "lag in exchanges" : "lag in seconds" }), Object.assign({}, axis, { label: "correlation", size: 55 })],
      }, [lags].concat(drawn.map((r) => lags.map((_, i) => (r.profile[i] === undefined ? null : r.profile[i])))), chart);
    }
  }
  const told = (key) => ({ title: key.replace(/_/g, " "), hint: view.definition("synchrony." + key), value: (r) => r[key], cell: (r) => number(r[key]) });
  const columns = [{ title: "Signal", value: (r) => r.signal, cell: (r) => r.signal.replace(/_/g, " "), left: true }, { title: "Who leads → follows", value: pair, left: true }]
    .concat(["windows", "correlation", "z", "p", "p_pseudo", "lag_secs", "lag_exchanges"].map(told))
    .concat([{ title: "Missing", hint: view.definition("synchrony.missing"), value: (r) => r.missing, cell: (r) => (r.missing || "").replace(/_/g, " "), left: true }]);
  box.append(el("div", { class: "wide" }, sortedTable("Synchrony of each ordered pair, at the best lag", columns, data.synchrony).table));
  box.append(el("details", {}, el("summary", { class: "hint" }, "definitions"), ["signal", "correlation", "z", "p", "p_pseudo", "profile", "missing"].map((k) => el("p", { class: "definition" }, view.definition("synchrony." + k)))));
}

function aboutPart(data) {
  const box = byId("about");
  box.append(el("h3", {}, "Warnings"), data.warnings.length ? el("ul", {}, data.warnings.map((w) => el("li", {}, w.text))) : el("p", { class: "hint" }, "None."));
  if (data.voices.length) {
    const share = (key) => ({ value: (v) => v[key], cell: (v) => percent(v[key]) });
    const columns = [
      { title: "Voice", value: (v) => v.speaker, cell: (v) => v.speaker || "–", left: true }, { title: "Label", value: (v) => v.label, cell: (v) => v.label || "–", left: true },
      Object.assign({ title: "Purity" }, share("match_share")), { title: "Talks (s)", value: (v) => v.speech_secs, cell: (v) => number(v.speech_secs) },
      Object.assign({ title: "Share of talk" }, share("speech_share")), { title: "Person on screen", value: (v) => v.person, cell: (v) => v.person || "–", left: true },
      Object.assign({ title: "Confidence" }, share("person_confidence")),
    ];
    box.append(el("h3", {}, "Cast"), el("div", { class: "wide" }, sortedTable("Voices, their labels and their persons", columns, data.voices).table));
  }
  const facts = data.facts.map((fact) => {
    const column = data.columns["interviews." + fact.name] || { unit: "", text: "" };
    return el("tr", {}, el("th", { scope: "row" }, fact.name), el("td", {}, fact.value + (column.unit && column.unit !== "1" ? " " + column.unit : "")), el("td", { class: "definition" }, column.text));
  });
  box.append(el("h3", {}, "The interview’s row"), el("div", { class: "wide" }, el("table", { class: "facts" }, el("tbody", {}, facts))));
  box.append(el("h3", {}, "Made by"), el("dl", {}, data.made.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
}
