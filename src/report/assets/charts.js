/* Signals, drawn by uPlot; and what all charts of the timeline share: one range of time, one cursor. */

/* Base64 of little-endian 32-bit floats; NaN becomes null, which uPlot leaves out. */
function numbers(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const values = new Array(bytes.length / 4);
  for (let i = 0; i < values.length; i++) {
    const x = view.getFloat32(4 * i, true);
    values[i] = isNaN(x) ? null : x;
  }
  return values;
}

function unpack(strip) {
  if (strip.kind === "each") {
    const values = numbers(strip.v);
    return { step: null, t: numbers(strip.t), low: values, high: values };
  }
  const low = numbers(strip.min);
  return { step: strip.step, t: low.map((_, i) => (i + 0.5) * strip.step), low, high: numbers(strip.max) };
}

/* The place of the last time that is not after secs; -1 before the first. */
function placeBefore(times, secs) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= secs) low = middle + 1; else high = middle;
  }
  return low - 1;
}

/* The value at a time: {low, high}, or null in a gap. */
function valueAt(unpacked, secs) {
  const { t, low, high, step } = unpacked;
  if (!t.length) return null;
  let i;
  if (step !== null) {
    i = Math.floor(secs / step);
  } else {
    i = Math.max(placeBefore(t, secs), 0);
    if (i + 1 < t.length && t[i + 1] - secs < secs - t[i]) i += 1;
    if (unpacked.usual === undefined) {
      const steps = t.slice(1).map((x, k) => x - t[k]).sort((a, b) => a - b);
      unpacked.usual = steps.length ? steps[steps.length >> 1] : Infinity;
    }
    if (Math.abs(t[i] - secs) > 1.9 * unpacked.usual) return null;
  }
  return i < 0 || i >= low.length || low[i] === null ? null : { low: low[i], high: high[i] };
}

function shownValue(value, unit) {
  if (value === null) return "–";
  const [low, high] = [number(value.low), number(value.high)];
  return withUnit(low === high ? value.low : NaN, unit) === "–" ? low + " to " + high + (unit && unit !== "1" ? " " + unit : "")
    : withUnit(value.low, unit);
}

/* The view: which stretch is shown, where the cursor is, and the charts that follow both. */
function makeView(data) {
  const root = byId("timeline");
  const cursor = el("div", { id: "cursor" });
  const length = Math.max(data.duration, 0.001);
  const view = { min: 0, max: length, length, time: 0, plots: [], listeners: [] };
  const sync = uPlot.sync("timeline");
  root.append(cursor);

  view.definition = (key) => {
    const column = key ? data.columns[key] : null;
    if (!column) return "";
    return key + (column.unit ? " (" + column.unit + ")" : "") + ": " + column.text + (column.source ? " [" + column.source + "]" : "");
  };
  /* Of the first width of the window; it stays, as axes do. */
  const gutter = parseInt(getComputedStyle(document.documentElement).getPropertyValue("--gutter"), 10);
  document.documentElement.style.setProperty("--gutter", gutter + "px");
  view.gutter = () => gutter;
  view.width = () => Math.max(root.clientWidth, 320);

  view.place = () => {
    /* Not by uPlot's own scale, which follows a moment later. */
    const share = (view.time - view.min) / (view.max - view.min);
    const wide = view.width() - 2 - view.gutter();
    const inside = view.time >= view.min && view.time <= view.max;
    cursor.hidden = !inside;
    cursor.style.left = view.gutter() + share * wide + "px";
  };
  view.setRange = (min, max) => {
    const least = Math.min(0.2, length);
    const wide = Math.min(Math.max(max - min, least), length);
    view.min = Math.min(Math.max(min, 0), length - wide);
    view.max = view.min + wide;
    for (const plot of view.plots) plot.setScale("x", { min: view.min, max: view.max });
    view.place();
    byId("range").textContent = clock(view.min) + " to " + clock(view.max);
  };
  view.zoom = (factor) => {
    const middle = view.time >= view.min && view.time <= view.max ? view.time : (view.min + view.max) / 2;
    view.setRange(middle - (middle - view.min) * factor, middle + (view.max - middle) * factor);
  };
  view.setTime = (secs, quiet) => {
    view.time = Math.min(Math.max(secs, 0), length);
    if (view.time < view.min || view.time > view.max) {
      const half = (view.max - view.min) / 2;
      view.setRange(view.time - half, view.time + half);
    }
    view.place();
    for (const listener of view.listeners) listener(view.time, quiet === true);
  };

  /* A chart that follows the view. */
  view.plot = (box, chart) => {
    const axis = { stroke: "#59636e", font: "11px system-ui, 'DejaVu Sans', sans-serif", grid: { stroke: "#eef1f4", width: 1 }, ticks: { stroke: "#d1d9e0", width: 1, size: 4 } };
    const x = Object.assign({}, axis, { values: (_, splits) => splits.map((s) => clock(s, view.max - view.min < 20 ? 1 : 0)), space: 70, show: chart.top !== undefined }, chart.axes[0]);
    const y = Object.assign({}, axis, { size: view.gutter(), gap: 4, space: 16 }, chart.axes[1]);
    let pressed = null;
    const plot = new uPlot({
      width: view.width() - 2, height: chart.height, padding: [chart.top === undefined ? 5 : 0, 0, chart.top === undefined ? 5 : 0, 0],
      legend: { show: false }, series: chart.series, bands: chart.bands, axes: [x, y],
      scales: Object.assign({ x: { time: false, range: () => [view.min, view.max] } }, chart.scales),
      cursor: {
        y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 4 },
        sync: { key: sync.key, setSeries: false, filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
        bind: { dblclick: () => () => view.setRange(0, length) },
      },
      hooks: Object.assign({
        setSelect: [(u) => {
          if (u.select.width < 4) return;
          const [from, to] = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          view.setRange(from, to);
        }],
      }, chart.hooks),
    }, chart.data, box);
    sync.sub(plot);
    plot.over.addEventListener("mousedown", (e) => { pressed = e.clientX; });
    plot.over.addEventListener("click", (e) => {
      if (pressed !== null && Math.abs(e.clientX - pressed) < 4 && chart.click !== null) {
        const secs = plot.posToVal(e.clientX - plot.over.getBoundingClientRect().left, "x");
        view.clicked(secs, e, plot);
      }
    });
    view.plots.push(plot);
    return plot;
  };
  view.clicked = (secs) => view.setTime(secs);
  window.addEventListener("resize", () => {
    for (const plot of view.plots) plot.setSize({ width: view.width() - 2, height: plot.height });
    view.place();
  });
  return view;
}

/* What is told beside the pointer. */
function showTip(event, title, lines, definition) {
  const tip = byId("tip");
  tip.replaceChildren(el("b", {}, title), ...lines.filter(Boolean).map((line) => el("div", {}, line)),
    definition ? el("small", {}, definition) : "");
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = event.clientX + 16 + box.width > innerWidth ? event.clientX - 16 - box.width : event.clientX + 16;
  const top = Math.min(event.clientY + 14, innerHeight - box.height - 6);
  tip.style.left = Math.max(left, 4) + "px";
  tip.style.top = Math.max(top, 4) + "px";
}

function hideTip() { byId("tip").hidden = true; }

/* A range of values for all signals of one name, so that persons can be compared. */
function sharedRange(signals, unit) {
  let low = Infinity, high = -Infinity;
  for (const signal of signals) {
    for (const x of signal.data.low) if (x !== null && x < low) low = x;
    for (const x of signal.data.high) if (x !== null && x > high) high = x;
  }
  if (low > high) return [0, 1];
  if (unit === "1" && low >= 0) low = 0;
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return [low === 0 ? 0 : low - room, high + room];
}

/* Values alone between gaps: a line does not show them, a point does. */
function alone(values) {
  return values.map((v, i) => i).filter((i) => values[i] !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null);
}

function signalChart(box, signal, view, colour, range) {
  const unit = view.unit(signal);
  const name = el("div", { class: "name", title: signal.columns.map(view.definition).join("\n") },
    el("b", {}, signal.title), el("span", {}, [signal.person ? view.nameOf(signal.person) : null, unit === "1" ? "0 to 1" : unit].filter(Boolean).join(", ")));
  const binned = signal.data.step !== null;
  const single = alone(signal.data.low);
  const points = { show: single.length > 0, size: 3, width: 1, fill: colour, filter: () => single };
  const stroke = { stroke: colour, width: binned ? 1.2 : 1.4, points };
  const plot = view.plot(box, {
    height: 64,
    data: binned ? [signal.data.t, signal.data.low, signal.data.high] : [signal.data.t, signal.data.low],
    series: binned ? [{}, stroke, stroke] : [{}, stroke],
    bands: binned ? [{ series: [2, 1], fill: colour + "55" }] : undefined,
    axes: [{ show: false }, {}],
    scales: { y: { range } },
  });
  box.append(name);
  plot.over.addEventListener("mousemove", (e) => {
    const secs = plot.posToVal(e.clientX - plot.over.getBoundingClientRect().left, "x");
    const value = valueAt(signal.data, secs);
    const mean = signal.columns.length > 1 ? "mean of " + signal.columns.length + " columns" : null;
    showTip(e, signal.title + (signal.person ? ", " + view.nameOf(signal.person) : ""),
      [clock(secs) + "  " + (value === null ? "no value" : shownValue(value, unit)), binned && value ? "smallest and largest in " + number(signal.data.step) + " s" : null, mean],
      signal.columns.map(view.definition).join(" · "));
  });
  plot.over.addEventListener("mouseleave", hideTip);
  return plot;
}
