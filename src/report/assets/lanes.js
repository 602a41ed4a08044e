/* Lanes: what has a beginning and an end. One chart of uPlot whose own drawing is replaced by bars and marks. */

const LANE = 24;

/* Takes the page's numbers; gives lanes of {name, key, colour, items}. An item is {start, end, look, colour, title,
   lines, turn, label}; key names the column whose definition is told. */
function makeLanes(data, colourOf, showMissing) {
  const lanes = [];
  const line = data.timeline;
  const lane = (name, key, colour, items, keep) => {
    if (items.length || keep) lanes.push({ name, key, colour, items });
  };
  const span = (x) => clock(x.start) + " to " + clock(x.end);

  for (const speaker of data.speakers) {
    const items = data.turns.filter((t) => t.speaker === speaker).map((t) => ({
      start: t.start, end: t.end, look: "bar", colour: colourOf(speaker), label: t.text, turn: t,
      title: speaker + ", turn " + (t.index === null ? "" : t.index), lines: [span(t), t.text],
    }));
    lane(speaker, "turns.duration_secs", colourOf(speaker), items);
  }
  const voices = [...new Set(line.speech.map((s) => s.text))].sort();
  for (const voice of voices) {
    const known = data.voices.find((v) => v.speaker === voice);
    const label = known && known.label;
    const items = line.speech.filter((s) => s.text === voice).map((s) => ({
      start: s.start, end: s.end, look: "thin", colour: colourOf(label || voice), title: voice + " talks",
      lines: [span(s), "matched with " + (label || "no label"), "talked over for " + number(s.value) + " s"],
    }));
    lane("voice " + voice.replace("SPEAKER_", "") + (label ? " = " + label : ""), "speech.speaker", colourOf(label || voice), items);
  }
  lane("Two talk (voices)", "speech.overlap_secs", "#1b1f24", line.overlaps.map(([start, end]) => ({
    start, end, look: "hatch", colour: "#1b1f24", title: "Two or more voices", lines: [span({ start, end }), number(end - start) + " s"],
  })));

  const marks = (kinds) => line.marks.filter((m) => kinds.includes(m.kind));
  lane("Floor transfers", "dyads.floor_offset_secs", null, marks(["gap", "overlap", "touch"]).map((m) => ({
    start: m.start, end: m.end, look: m.kind === "gap" ? "hollow" : m.kind === "overlap" ? "bar" : "tick",
    colour: colourOf(m.who), title: m.who + " takes the floor from " + m.whom,
    lines: [m.kind + ", offset " + number(m.value) + " s"],
  })));
  lane("Interruptions", "dyads.interrupts", null, marks(["interruption"]).map((m) => ({
    start: m.start, end: m.start, look: m.by === "turns" ? "triangle" : "open-triangle", colour: colourOf(m.who),
    title: m.who + " interrupts " + m.whom, lines: [clock(m.start), "told from " + m.by],
    key: m.by === "turns" ? "dyads.interrupts" : "dyads.speech_interrupts",
  })));
  lane("Backchannels", "dyads.backchannel", null, marks(["backchannel"]).map((m) => ({
    start: m.start, end: m.start, look: m.by === "turns" ? "dot" : "open-dot", colour: colourOf(m.who),
    title: m.who + " says “mhm” to " + m.whom,
    lines: [clock(m.start), "told from " + m.by, m.value > 1 ? "the first of " + m.value + " in the turn" : null],
    key: m.by === "turns" ? "dyads.backchannel" : "dyads.speech_backchannels",
  })));

  for (const person of line.persons) {
    const who = person.name + (person.speaker ? " = " + person.speaker : "");
    const colour = person.speaker ? colourOf(person.speaker) : "#8c959f";
    const seen = person.seen.map(([start, end]) => ({
      start, end, look: "seen", colour, title: who + " is seen",
      lines: [span({ start, end }), person.speaker ? "cast with confidence " + number(person.confidence) : "nobody’s voice is told to be this person’s"],
    }));
    const speaks = person.speaker === null ? [] : data.turns.filter((t) => t.speaker === person.speaker).map((t) => ({
      start: t.start, end: t.end, look: "under", colour, turn: t, title: who + " speaks", lines: [span(t), t.text],
    }));
    lane("on screen " + who, "turns.person", colour, seen.concat(speaks), true);
    lane("smiles " + person.name, "smiles.onset_secs", colour, line.smiles.filter((s) => s.who === person.name).map((s) => ({
      start: s.start, end: s.end, look: "bar", colour, title: who + " smiles", lines: [span(s), "peak " + number(s.value)],
    })));
  }
  const written = (band) => ({
    start: band.start, end: band.end, look: band.end > band.start ? "hollow" : "tick", colour: "#59636e", label: band.text,
    title: band.text, lines: [span(band), band.who],
  });
  lane("Sounds told", "events.event", null, line.events.map(written));
  for (const [tier, bands] of Object.entries(line.annotations)) lane("tier " + tier, null, null, bands.map(written));

  lane("Warnings", "interviews.warnings", "#d55e00", data.warnings.flatMap((w) => w.spans.map(([start, end]) => ({
    start, end, look: "hatch", colour: "#b34700", title: w.code, lines: [span({ start, end }), w.text],
  }))));
  if (showMissing) {
    for (const [key, bands] of Object.entries(line.missing)) {
      const [table, column] = key.split(".");
      const name = column.replace(/_missing$/, "").replace(/_/g, " ") + (table === "turns" ? "" : table === "dyads" ? ", pairs" : ", persons");
      lane("∅ " + name, key, "#8c959f", bands.map((b) => ({
        start: b.start, end: b.end, look: "missing", colour: "#59636e", label: b.text, title: b.text,
        lines: [span(b), b.who, "why values of this turn are empty"],
      })));
    }
  }
  return lanes;
}

function drawHatch(ctx, x, y, width, height, colour, step) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.beginPath();
  for (let at = x - height; at < x + width; at += step) {
    ctx.moveTo(at, y + height);
    ctx.lineTo(at + height, y);
  }
  ctx.stroke();
  ctx.restore();
}

/* Words on a bar, black or white by its colour's lightness. */
function drawLabel(ctx, text, x, y, width, ink, ratio) {
  if (!text || width < 26 * ratio) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y - 20 * ratio, width - 3 * ratio, 40 * ratio);
  ctx.clip();
  ctx.fillStyle = ink;
  ctx.font = 11 * ratio + "px system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(text.slice(0, 300), x + 4 * ratio, y);
  ctx.restore();
}

function inkOn(colour) {
  const parts = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return 0.3 * parts[0] + 0.59 * parts[1] + 0.11 * parts[2] > 140 ? "#000" : "#fff";
}

function drawItem(ctx, item, x0, x1, top, ratio) {
  const height = LANE * ratio;
  const middle = top + height / 2;
  const width = Math.max(x1 - x0, 1.5 * ratio);
  const edge = 3 * ratio;
  ctx.fillStyle = ctx.strokeStyle = item.colour;
  ctx.lineWidth = 1.5 * ratio;
  const size = 5.5 * ratio;
  switch (item.look) {
    case "bar":
      ctx.fillRect(x0, top + edge, width, height - 2 * edge);
      drawLabel(ctx, item.label, x0, middle, width, inkOn(item.colour), ratio);
      break;
    case "thin": ctx.fillRect(x0, middle - 4 * ratio, width, 8 * ratio); break;
    case "under": ctx.fillRect(x0, top + height - 8 * ratio, width, 5 * ratio); break;
    case "seen":
      ctx.globalAlpha = 0.3;
      ctx.fillRect(x0, top + edge, width, height - 2 * edge);
      ctx.globalAlpha = 1;
      break;
    case "hollow":
      ctx.strokeRect(x0, middle - 6 * ratio, width, 12 * ratio);
      drawLabel(ctx, item.label, x0, middle, width, "#1b1f24", ratio);
      break;
    case "hatch":
      drawHatch(ctx, x0, top + edge, width, height - 2 * edge, item.colour, 5 * ratio);
      ctx.strokeRect(x0, top + edge, width, height - 2 * edge);
      break;
    case "missing":
      ctx.globalAlpha = 0.35;
      ctx.lineWidth = ratio;
      drawHatch(ctx, x0, top + edge, width, height - 2 * edge, item.colour, 7 * ratio);
      ctx.globalAlpha = 1;
      ctx.strokeRect(x0, top + edge, width, height - 2 * edge);
      if (item.label && width > 40 * ratio) {
        const text = Math.min(width - 3 * ratio, (item.label.length * 6.2 + 6) * ratio);
        ctx.fillStyle = "#fff";
        ctx.fillRect(x0 + 2 * ratio, middle - 7 * ratio, text, 14 * ratio);
      }
      drawLabel(ctx, item.label, x0, middle, width, "#1b1f24", ratio);
      break;
    case "tick": ctx.fillRect(x0 - ratio, top + edge, 2 * ratio, height - 2 * edge); break;
    case "triangle": case "open-triangle":
      ctx.beginPath();
      ctx.moveTo(x0 - size, middle - size);
      ctx.lineTo(x0 + size, middle - size);
      ctx.lineTo(x0, middle + size);
      ctx.closePath();
      if (item.look === "triangle") ctx.fill(); else ctx.stroke();
      break;
    default:
      ctx.beginPath();
      ctx.arc(x0, middle, 4.5 * ratio, 0, 2 * Math.PI);
      if (item.look === "dot") ctx.fill(); else ctx.stroke();
  }
}

function lanesChart(box, lanes, view) {
  const height = lanes.length * LANE;
  box.classList.add("lanes");
  const names = lanes.map((lane, i) => {
    const node = el("div", { class: "lane-name", title: lane.name + "\n" + view.definition(lane.key) },
      lane.colour ? el("i", {}) : null, lane.name);
    node.style.top = 30 + i * LANE + "px";
    if (lane.colour) node.firstChild.style.background = lane.colour;
    return node;
  });
  const draw = (u) => {
    const ratio = devicePixelRatio;
    const ctx = u.ctx;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    lanes.forEach((lane, i) => {
      const top = u.bbox.top + i * LANE * ratio;
      if (i % 2) {
        ctx.fillStyle = "#f6f8fa";
        ctx.fillRect(u.bbox.left, top, u.bbox.width, LANE * ratio);
      }
      for (const item of lane.items) {
        if (item.end < view.min || item.start > view.max) continue;
        drawItem(ctx, item, u.valToPos(item.start, "x", true), u.valToPos(item.end, "x", true), top, ratio);
      }
    });
    ctx.restore();
  };
  const plot = view.plot(box, {
    height: height + 30, top: 30,
    series: [{}, { show: false }],
    data: [[0, view.length], [0, 0]],
    axes: [{ side: 0, size: 30 }, { show: true, splits: () => [], grid: { show: false }, ticks: { show: false } }],
    scales: { y: { range: [0, 1] } },
    hooks: { draw: [draw] },
  });
  box.append(...names);
  /* What lies under a place: the last drawn of a lane. */
  const at = (secs, y) => {
    const lane = lanes[Math.floor(y / LANE)];
    if (!lane) return null;
    const near = 6 * (view.max - view.min) / plot.over.clientWidth;
    const hit = lane.items.filter((x) => x.start - near <= secs && secs <= x.end + near);
    const inside = hit.filter((x) => x.start <= secs && secs <= x.end);
    return { lane, item: (inside.length ? inside : hit).pop() || null };
  };
  return { plot, at };
}
