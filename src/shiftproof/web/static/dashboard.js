// Turns times into the viewer's zone, reads a page again when its monitor changes, and adds keys, a crosshair and
// zooming. Every page works without it.
(() => {
  "use strict";
  const body = document.body.dataset;
  const SVG = "http://www.w3.org/2000/svg";
  const byId = (id) => document.getElementById(id);

  // -- times ---------------------------------------------------------------------------------------------------------
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  const pad = (number) => String(number).padStart(2, "0");
  const written = (date) =>
    `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
  const localTimes = (root) => {
    if (zone === "UTC") return;
    root.querySelectorAll("time[datetime]").forEach((one) => {
      // A whole day stays a day: only times within one are turned.
      if (!one.textContent.endsWith("UTC")) return;
      one.title = one.textContent;
      one.textContent = written(new Date(one.dateTime));
    });
  };
  const zoneNote = document.querySelector(".zone");
  if (zoneNote && zone !== "UTC") zoneNote.textContent = `, those within a day are shown in ${zone.replace("_", " ")}`;

  // -- live ----------------------------------------------------------------------------------------------------------
  const live = byId("live");
  let typing = false;
  const showNews = () => {
    if (document.querySelector(".news")) return;
    const box = document.createElement("p");
    box.className = "news";
    box.setAttribute("role", "status");
    const link = document.createElement("a");
    link.href = location.href;
    link.textContent = "Reload the page";
    box.append("There is new data. ", link);
    byId("main").prepend(box);
  };
  const refresh = async () => {
    // What somebody is writing must not be lost.
    if (typing) return showNews();
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("main");
    if (!fresh || typing) return;
    const open = [...document.querySelectorAll("main details")].map((one) => one.open);
    byId("main").replaceChildren(...fresh.childNodes);
    document.querySelectorAll("main details").forEach((one, at) => { one.open = open[at] || false; });
    prepare();
    live.textContent = `updated ${written(new Date()).slice(11)}`;
  };
  if (body.events && "EventSource" in window) {
    const source = new EventSource(body.events);
    let known = null;
    source.addEventListener("pulse", (event) => {
      const marks = JSON.parse(event.data);
      const mark = body.monitor ? marks[body.monitor] : event.data;
      live.classList.remove("off");
      if (known === null) live.textContent = "live";
      else if (mark !== known) refresh().catch(() => {});
      known = mark;
    });
    source.addEventListener("error", () => {
      live.classList.add("off");
      live.textContent = "connecting …";
    });
    addEventListener("pagehide", () => source.close());
  }
  document.addEventListener("input", (event) => { if (event.target.closest("main form")) typing = true; });

  // -- charts --------------------------------------------------------------------------------------------------------
  const drawn = (kind, name, attributes) => {
    const one = document.createElementNS(SVG, kind);
    one.setAttribute("class", name);
    Object.entries(attributes).forEach(([key, value]) => one.setAttribute(key, value));
    return one;
  };
  const percent = (part) => `${(100 * part).toFixed(2)}%`;
  const zoomTo = (course, start, end) => {
    const first = Number(course.dataset.first), length = Number(course.dataset.last) - first;
    const moment = (part) => new Date(first + part * length).toISOString().slice(0, 19);
    const address = new URL(location.href);
    address.searchParams.set("from", moment(start));
    address.searchParams.set("to", moment(end));
    location.href = address.href;
  };
  const letPoint = (course) => {
    const plots = [...course.querySelectorAll(".plot")];
    const hits = [...course.querySelectorAll(".hit")].map((rect) => ({
      start: parseFloat(rect.getAttribute("x")) / 100,
      end: (parseFloat(rect.getAttribute("x")) + parseFloat(rect.getAttribute("width"))) / 100,
      words: rect.parentNode.textContent,
    }));
    const readout = course.querySelector(".readout");
    let begun = null, dragged = false;
    const part = (event) => {
      const box = plots[0].getBoundingClientRect();
      return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    };
    const clear = () => {
      course.querySelectorAll(".cross, .brush").forEach((one) => one.remove());
      if (readout) readout.hidden = true;
    };
    const show = (at) => {
      clear();
      plots.forEach((plot) => {
        const height = plot.getAttribute("height") - 22;
        plot.append(drawn("line", "cross", { x1: percent(at), x2: percent(at), y1: 0, y2: height }));
        if (begun !== null && dragged) {
          const ends = [Math.min(begun, at), Math.max(begun, at)];
          plot.append(drawn("rect", "brush", { x: percent(ends[0]), width: percent(ends[1] - ends[0]), y: 0, height }));
        }
      });
      const hit = hits.find((one) => at >= one.start && at <= one.end);
      if (!readout || !hit) return;
      readout.textContent = hit.words;
      readout.hidden = false;
      const left = plots[0].getBoundingClientRect().left - course.getBoundingClientRect().left;
      const width = plots[0].getBoundingClientRect().width;
      const place = left + at * width;
      readout.style.left = at > 0.6 ? "auto" : `${place + 12}px`;
      readout.style.right = at > 0.6 ? `${course.clientWidth - place + 12}px` : "auto";
    };
    plots.forEach((plot) => {
      plot.addEventListener("pointerdown", (event) => {
        if (event.pointerType !== "mouse" || event.button !== 0 || !course.dataset.first) return;
        begun = part(event);
        dragged = false;
      });
      plot.addEventListener("dragstart", (event) => event.preventDefault());
      plot.addEventListener("click", (event) => { if (dragged) event.preventDefault(); }, true);
    });
    course.addEventListener("pointermove", (event) => {
      const at = part(event);
      if (begun !== null && Math.abs(at - begun) > 0.01) dragged = true;
      if (event.target.closest(".plot")) show(at);
      else if (begun === null) clear();
    });
    course.addEventListener("pointerleave", () => { begun = null; clear(); });
    course.addEventListener("pointerup", (event) => {
      const from = begun;
      begun = null;
      if (from === null || !dragged) return;
      zoomTo(course, Math.min(from, part(event)), Math.max(from, part(event)));
    });
  };

  // -- keys ----------------------------------------------------------------------------------------------------------
  const shift = (by, scale) => {
    const course = document.querySelector(".course[data-first]");
    if (!course) return;
    const half = scale / 2;
    zoomTo(course, 0.5 + by - half, 0.5 + by + half);
  };
  const everything = () => {
    const address = new URL(location.href);
    address.searchParams.set("from", "all");
    address.searchParams.delete("to");
    location.href = address.href;
  };
  const go = (address) => { if (address) location.href = address; };
  const KEYS = {
    "g": () => go(body.home),
    "u": () => go(body.up || body.home),
    "ArrowLeft": () => (body.before ? go(body.before) : shift(-0.5, 1)),
    "ArrowRight": () => (body.after ? go(body.after) : shift(0.5, 1)),
    "+": () => shift(0, 0.5),
    "-": () => shift(0, 2),
    "a": everything,
    "r": () => refresh(),
    "/": () => byId("find") && byId("find").focus(),
    "?": () => { const keys = byId("keys"); if (keys.open) keys.close(); else keys.showModal(); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    // The arrows scroll a table that has the focus.
    if (event.key.startsWith("Arrow") && event.target.closest(".scroll, [role=radiogroup]")) return;
    const action = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
    if (!action) return;
    event.preventDefault();
    action();
  });

  const prepare = () => {
    localTimes(document);
    document.querySelectorAll(".course").forEach(letPoint);
  };
  prepare();
})();
