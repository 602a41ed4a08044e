/* An interview's page: puts its parts together. */
(function () {
  const data = readData();
  byId("name").textContent = data.id;
  byId("up").href = data.up + "index.html";
  const count = (n, noun) => n + " " + noun + (n === 1 ? "" : "s");
  byId("summary").append(el("span", { class: "status " + (data.status === "done" ? "good" : "bad") }, (data.status === "done" ? "✓ " : "✗ ") + data.status),
    data.status === "done" ? " · " + [clock(data.duration, 0), count(data.turns.length, "turn"), count(data.speakers.length, "speaker"), count(data.timeline.persons.length, "person") + " seen", count(data.warnings.length, "warning")].join(" · ") : "",
    data.media ? " · " + data.media : "");
  const alert = (text) => byId("alerts").append(el("p", { class: "alert", role: "alert" }, text));
  if (data.status !== "done") alert((data.status === "unreadable" ? "The interview’s row cannot be read. " : "There are no measurements: this interview is not done. ") + [data.error_kind, data.error].filter(Boolean).join(": "));
  for (const fault of data.faults) alert("A table cannot be read, and what it holds is not on this page. " + fault);

  const order = data.speakers.concat(data.voices.map((v) => v.label || v.speaker).filter(Boolean)).filter((n, i, all) => all.indexOf(n) === i);
  const colourOf = (name) => { const i = order.indexOf(name); return i < 0 ? "#59636e" : COLOURS[i % COLOURS.length]; };
  const view = makeView(data);
  const castOf = (person) => (data.timeline.persons.find((p) => p.name === person) || {}).speaker;
  view.nameOf = (person) => (castOf(person) ? person + " = " + castOf(person) : person);
  view.unit = (signal) => (data.columns[signal.columns[0]] || {}).unit || "";

  /* Media: beside the page, or a file that the reader picks, which leaves this machine as little as the page does. */
  let media = null, until = null;
  const useMedia = (address, seen, name) => {
    media = el(seen ? "video" : "audio", { controls: true, preload: "metadata", src: address, "aria-label": name });
    media.addEventListener("error", () => { byId("media-told").textContent = "The browser cannot play " + name; });
    media.addEventListener("timeupdate", () => {
      if (until !== null && media.currentTime >= until) { media.pause(); until = null; }
      view.setTime(media.currentTime, true);
    });
    byId("player").replaceChildren(media);
    byId("media-told").textContent = name;
  };
  const isVideo = data.facts.some((f) => f.name === "video_codec");
  if (data.media_url) useMedia(data.media_url, isVideo, data.media);
  else byId("media-told").textContent = data.media ? data.media + " was not found beside this page; choose it to play turns" : "";
  byId("pick").addEventListener("change", (e) => { const file = e.target.files[0]; if (file) useMedia(URL.createObjectURL(file), !file.type.startsWith("audio"), file.name); });
  const play = (turn) => {
    if (!media) return;
    media.currentTime = turn.start;
    until = turn.end;
    media.play().catch(() => { byId("media-told").textContent = "The browser cannot play " + data.media; });
  };

  /* The timeline. */
  const lanesBox = el("div", { class: "chart" });
  const strips = el("div", {});
  const timeline = byId("timeline");
  let lanes = null;
  const drawLanes = () => {
    if (lanes) view.plots.splice(view.plots.indexOf(lanes.plot), 1)[0].destroy();
    lanesBox.replaceChildren();
    lanes = lanesChart(lanesBox, makeLanes(data, colourOf, byId("show-missing").checked), view);
    view.plots.splice(view.plots.indexOf(lanes.plot), 1);
    view.plots.unshift(lanes.plot);
    lanes.plot.over.addEventListener("mousemove", (e) => {
      const place = lanes.plot.over.getBoundingClientRect();
      const secs = lanes.plot.posToVal(e.clientX - place.left, "x");
      const hit = lanes.at(secs, e.clientY - place.top);
      if (hit && hit.item) showTip(e, hit.item.title, hit.item.lines, view.definition(hit.item.key || hit.lane.key));
      else if (hit) showTip(e, hit.lane.name, [clock(secs)], view.definition(hit.lane.key));
      else hideTip();
    });
    lanes.plot.over.addEventListener("mouseleave", hideTip);
    view.place();
  };
  view.clicked = (secs, event, plot) => {
    view.setTime(secs);
    if (plot !== lanes.plot) return;
    const hit = lanes.at(secs, event.clientY - plot.over.getBoundingClientRect().top);
    if (hit && hit.item && hit.item.turn) play(hit.item.turn);
  };
  if (data.duration > 0) {
    timeline.append(lanesBox, strips);
    drawLanes();
    const kinds = [...new Set(data.timeline.signals.map((s) => s.title))];
    const waiting = new Map();
    const make = (box) => { const chart = waiting.get(box); if (chart) { waiting.delete(box); watcher.unobserve(box); chart(); } };
    const watcher = new IntersectionObserver((seen) => seen.filter((s) => s.isIntersecting).forEach((s) => make(s.target)), { rootMargin: "400px" });
    for (const signal of data.timeline.signals) signal.data = unpack(signal.strip);
    for (const kind of kinds) {
      const signals = data.timeline.signals.filter((s) => s.title === kind);
      const range = sharedRange(signals, view.unit(signals[0]));
      for (const signal of signals) {
        const box = el("div", { class: "chart" });
        box.style.minHeight = "65px";
        const colour = signal.person ? (castOf(signal.person) ? colourOf(castOf(signal.person)) : "#59636e") : "#1b1f24";
        waiting.set(box, () => signalChart(box, signal, view, colour, range));
        strips.append(box);
        watcher.observe(box);
      }
    }
    window.addEventListener("beforeprint", () => [...waiting.keys()].forEach(make));
    const steps = [...new Set(data.timeline.signals.map((s) => s.data.step).filter((s) => s !== null))];
    const left = data.timeline.persons.filter((p) => !p.drawn).map((p) => p.name);
    byId("binned").append(
      steps.length ? "Signals with more values than a screen shows are drawn as the smallest and the largest of each " + steps.map((s) => number(s)).join(" or ") + " s, so that no peak is lost; the tables hold every value. " : "",
      "A gap in a line is a time without a value. ",
      left.length ? "Signals are drawn of the " + (data.timeline.persons.length - left.length) + " persons seen most; left out: " + left.join(", ") + "." : "");
    byId("legend").append(...["▮ turn", "▬ voice heard", "▨ two talk, or a warning", "▭ gap before the floor is taken, ▮ overlap", "▼ interruption, ▽ by voices", "● backchannel, ○ by voices", "▒ on screen, ▬ and speaking", "▨ ∅ values missing, with the reason"].map((t) => el("span", {}, t)));
    view.setRange(0, view.length);
  } else {
    byId("timeline-part").hidden = true;
  }

  const go = (turn) => {
    const room = Math.max((turn.end - turn.start) * 0.5, 2);
    if (turn.start < view.min || turn.end > view.max) view.setRange(turn.start - room, turn.end + room);
    view.setTime(turn.start);
    play(turn);
  };
  const rows = transcriptTable(data, colourOf, go);
  const turnAt = (secs) => data.turns.filter((t) => t.start <= secs && secs < t.end);

  /* Values at the cursor: the same as under the pointer, for those who use none. */
  const drawValues = () => {
    byId("cursor-time").textContent = clock(view.time);
    if (!byId("values").open) return;
    const lines = data.timeline.signals.map((s) => [s.title + (s.person ? ", " + view.nameOf(s.person) : ""), shownValue(valueAt(s.data, view.time), view.unit(s)), s.columns.map(view.definition).join(" · ")]);
    for (const lane of makeLanes(data, colourOf, true)) {
      const items = lane.items.filter((x) => x.start <= view.time && view.time <= x.end);
      lines.push([lane.name, items.map((x) => [x.title].concat(x.lines.slice(1)).filter(Boolean).join(", ")).join("; ") || "–", view.definition(lane.key)]);
    }
    byId("values-table").replaceChildren(el("table", { class: "facts" }, el("thead", {}, el("tr", {}, ["What", "Value", "Definition"].map((h) => el("th", { scope: "col" }, h)))),
      el("tbody", {}, lines.map(([what, value, text]) => el("tr", {}, el("th", { scope: "row" }, what), el("td", {}, value), el("td", { class: "definition" }, text))))));
  };
  byId("values").addEventListener("toggle", drawValues);
  view.listeners.push((secs, quiet) => {
    const now = turnAt(secs);
    for (const row of rows) row.row.classList.toggle("now", now.includes(row.turn));
    drawValues();
    if (!quiet) byId("said").textContent = clock(secs) + (now.length ? ", " + now.map((t) => t.speaker + ": " + t.text.slice(0, 120)).join("; ") : ", nobody’s turn");
  });

  const starts = [...new Set(data.turns.map((t) => t.start))].sort((a, b) => a - b);
  const keys = {
    ArrowRight: (e) => view.setTime(e.shiftKey ? (starts.find((s) => s > view.time + 1e-6) ?? view.time) : view.time + (view.max - view.min) / 100),
    ArrowLeft: (e) => view.setTime(e.shiftKey ? (starts.filter((s) => s < view.time - 1e-6).pop() ?? 0) : view.time - (view.max - view.min) / 100),
    Home: () => view.setTime(0), End: () => view.setTime(view.length),
    "+": () => view.zoom(0.5), "=": () => view.zoom(0.5), "-": () => view.zoom(2), "−": () => view.zoom(2), "0": () => view.setRange(0, view.length),
    " ": () => { const turn = turnAt(view.time)[0]; if (media && !media.paused) media.pause(); else if (turn) play(turn); },
  };
  timeline.addEventListener("keydown", (e) => { if (keys[e.key] && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); keys[e.key](e); } });
  byId("zoom-in").addEventListener("click", () => view.zoom(0.5));
  byId("zoom-out").addEventListener("click", () => view.zoom(2));
  byId("zoom-all").addEventListener("click", () => view.setRange(0, view.length));
  byId("show-missing").addEventListener("change", drawLanes);

  if (data.status !== "done") {
    for (const part of ["timeline", "transcript", "pairs", "spread", "synchrony"]) {
      byId(part + "-part").hidden = true;
      document.querySelector("nav a[href='#" + part + "-part']").hidden = true;
    }
  }
  pairTables(data, view);
  spreadPart(data, view, colourOf);
  synchronyPart(data, view);
  aboutPart(data);
  if (data.duration > 0) view.setTime(0, true);
})();
