// Draws the figures of a page. Each [data-chart] names the JSON block that holds
// its option. Strings that begin with "@" under a known key stand for a colour of
// the style sheet or for one of the functions below; everything else is data and
// is only ever drawn as text. Tooltips are rich text on the canvas, so that
// nothing needs inline styles or markup.
(function () {
	"use strict";
	const figures = [];
	const url = new URL(location.href);
	let selected = url.searchParams.get("arm") || "";

	// ---- colours -----------------------------------------------------------

	const colourKeys = new Set(["color", "borderColor", "areaColor", "backgroundColor", "textBorderColor"]);
	const functionKeys = new Set(["formatter", "renderItem"]);

	function palette() {
		const probe = document.createElement("span");
		probe.hidden = true;
		document.body.append(probe);
		const known = new Map();
		function colour(name) {
			if (name === "none") return "transparent";
			if (name === "hatch") return hatch(colour("error"));
			if (!known.has(name)) {
				probe.style.color = "var(--" + name + ", currentColor)";
				known.set(name, getComputedStyle(probe).color);
			}
			return known.get(name);
		}
		return { colour: colour, end: function () { probe.remove(); } };
	}

	// A diagonal pattern: the look of an error, told apart without colour.
	function hatch(colour) {
		const tile = document.createElement("canvas");
		tile.width = tile.height = 6;
		const c = tile.getContext("2d");
		c.strokeStyle = colour;
		c.lineWidth = 1.2;
		c.beginPath();
		c.moveTo(-1, 7); c.lineTo(7, -1);
		c.moveTo(-1, 1); c.lineTo(1, -1);
		c.moveTo(5, 7); c.lineTo(7, 5);
		c.stroke();
		return { image: tile, repeat: "repeat" };
	}

	// ---- functions an option may name --------------------------------------

	function shorten(text, most) {
		const s = String(text == null ? "" : text).replace(/[\r\n]+/g, " ");
		const runes = Array.from(s);
		return runes.length > most ? runes.slice(0, most - 1).join("") + "…" : s;
	}

	function line(x1, y1, x2, y2, style) {
		return { type: "line", shape: { x1: x1, y1: y1, x2: x2, y2: y2 }, style: style, silent: true };
	}

	function rectOf(api) {
		const a = api.coord([api.value(2), api.value(5)]), b = api.coord([api.value(3), api.value(4)]);
		return { x: a[0] + 0.5, y: a[1] + 0.5, width: Math.max(0, b[0] - a[0] - 1), height: Math.max(0, b[1] - a[1] - 1) };
	}

	const functions = {
		tip: function (p) { return (p.data && p.data.tip) || shorten(p.seriesName, 60); },
		label: function (p) { return (p.data && p.data.say) || ""; },
		short: function (name) { return shorten(name, 34); },
		rate: function (v) { return v === 0 || v === 1 ? String(v) : v.toFixed(2).replace(/0$/, ""); },

		// The interval around a line, as one polygon drawn with the first datum.
		band: function (params, api) {
			if (params.dataIndexInside !== 0) return null;
			const upper = [], lower = [];
			for (let i = 0; i < params.dataInsideLength; i++) {
				const x = api.value(0, i), lo = api.value(1, i), hi = api.value(2, i);
				if (isNaN(lo) || isNaN(hi)) continue;
				upper.push(api.coord([x, hi]));
				lower.unshift(api.coord([x, lo]));
			}
			if (upper.length < 2) return null;
			return { type: "polygon", shape: { points: upper.concat(lower) }, style: { fill: api.visual("color"), opacity: 0.13 }, silent: true };
		},

		// Intervals of a point in one or both directions.
		whisker: function (params, api) {
			const x = api.value(0), y = api.value(1);
			const style = { stroke: api.visual("color"), lineWidth: 1.25, opacity: 0.6, fill: "none" };
			const children = [];
			if (!isNaN(api.value(2)) && !isNaN(api.value(3)) && api.value(2) !== null) {
				const a = api.coord([api.value(2), y]), b = api.coord([api.value(3), y]);
				children.push(line(a[0], a[1], b[0], b[1], style));
			}
			if (!isNaN(api.value(4)) && !isNaN(api.value(5)) && api.value(4) !== null) {
				const a = api.coord([x, api.value(4)]), b = api.coord([x, api.value(5)]);
				children.push(line(a[0], a[1], b[0], b[1], style));
			}
			return { type: "group", children: children, silent: true };
		},

		// One cell of a map: value is x, y and the borders of the cell in both directions.
		cell: function (params, api) {
			const box = rectOf(api);
			return { type: "rect", shape: box, style: { fill: api.visual("color") } };
		},

		// Diagonal lines over a cell, in whatever colour the paper has.
		hatched: function (params, api) {
			const box = rectOf(api), style = { stroke: api.visual("color"), lineWidth: 1.4, opacity: 0.9 };
			const children = [];
			for (let at = 5; at < box.width + box.height; at += 6) {
				const x1 = Math.min(at, box.width), y1 = at - x1, y2 = Math.min(at, box.height), x2 = at - y2;
				children.push(line(box.x + x1, box.y + y1, box.x + x2, box.y + y2, style));
			}
			return { type: "group", children: children, silent: true };
		},

		// From one point to another, short of both markers, with a head.
		arrow: function (params, api) {
			const a = api.coord([api.value(0), api.value(1)]), b = api.coord([api.value(2), api.value(3)]);
			const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy);
			if (length < 24) return null;
			const ux = dx / length, uy = dy / length, colour = api.visual("color");
			const tip = [b[0] - ux * 8, b[1] - uy * 8], neck = [tip[0] - ux * 9, tip[1] - uy * 9];
			return { type: "group", silent: true, children: [
				line(a[0] + ux * 8, a[1] + uy * 8, neck[0], neck[1], { stroke: colour, lineWidth: 1.5 }),
				{ type: "polygon", silent: true, style: { fill: colour }, shape: { points: [tip, [neck[0] - uy * 4, neck[1] + ux * 4], [neck[0] + uy * 4, neck[1] - ux * 4]] } }
			] };
		}
	};

	// ---- from the JSON block to what ECharts takes -------------------------

	function resolve(value, key, colour) {
		if (typeof value === "string" && value[0] === "@") {
			const name = value.slice(1);
			if (colourKeys.has(key)) return colour(name);
			if (functionKeys.has(key) && Object.hasOwn(functions, name)) return functions[name];
			return value;
		}
		if (Array.isArray(value)) {
			return key === "data" || key === "coords" ? value : value.map(function (v) { return resolve(v, key, colour); });
		}
		if (value && typeof value === "object") {
			const out = {};
			for (const k of Object.keys(value)) out[k] = resolve(value[k], k, colour);
			return out;
		}
		return value;
	}

	function themed(option, colour) {
		const ink = colour("ink"), soft = colour("soft"), hair = colour("hair");
		const font = getComputedStyle(document.body).fontFamily;
		const axis = {
			axisLine: { lineStyle: { color: colour("hair-strong") } },
			axisTick: { lineStyle: { color: colour("hair-strong") } },
			axisLabel: { color: soft, fontSize: 11, hideOverlap: true },
			nameTextStyle: { color: ink, fontSize: 12 },
			splitLine: { lineStyle: { color: hair } }
		};
		function axes(list, vertical) {
			const all = Array.isArray(list) ? list : [list];
			return all.map(function (a) {
				const merged = Object.assign({}, axis, a);
				for (const k of Object.keys(axis)) merged[k] = Object.assign({}, axis[k], a[k]);
				if (vertical && a.nameLocation === "end") {
					merged.nameTextStyle = Object.assign({ align: "left", padding: [0, 0, 0, -6] }, merged.nameTextStyle);
				}
				if (a.splitLine && a.splitLine.show === false) merged.splitLine = a.splitLine;
				return merged;
			});
		}
		option.xAxis = axes(option.xAxis, false);
		option.yAxis = axes(option.yAxis, true);
		option.textStyle = { fontFamily: font, fontSize: 12, color: ink };
		option.tooltip = Object.assign({}, option.tooltip, {
			renderMode: "richText", confine: true, backgroundColor: colour("paper"), borderColor: colour("hair-strong"), borderWidth: 1, padding: [6, 10],
			textStyle: { color: ink, fontFamily: font, fontSize: 12, lineHeight: 17 }, shadowBlur: 0, shadowColor: "transparent"
		});
		function legend(l) {
			return Object.assign({
				textStyle: { color: soft, fontSize: 11 }, pageTextStyle: { color: soft }, pageIconColor: ink, pageIconInactiveColor: hair,
				pageIconSize: 11, inactiveColor: hair, itemGap: 12
			}, l);
		}
		if (option.legend) option.legend = legend(Array.isArray(option.legend) ? option.legend[0] : option.legend);
		for (const m of option.media || []) {
			if (m.option.legend) m.option.legend = legend(m.option.legend);
		}
		option.aria = { enabled: false };
		return option;
	}

	// What is not the selected arm steps back; nothing disappears.
	function select(option) {
		if (!selected || !option.series.some(function (s) { return s.arm === selected; })) return;
		for (const s of option.series) {
			if (!s.arm || s.arm === selected) continue;
			for (const k of ["itemStyle", "lineStyle", "label", "endLabel"]) {
				if (s[k]) s[k] = Object.assign({}, s[k], { opacity: 0.15 });
			}
			s.z = 1;
		}
	}

	// Labels at the lines need room; narrow screens get the legend instead.
	function fit(option, width) {
		if (!option.wideLabels || width >= 560) return;
		for (const s of option.series) {
			if (s.label) s.label = Object.assign({}, s.label, { show: false });
			if (s.endLabel) s.endLabel = Object.assign({}, s.endLabel, { show: false });
		}
	}

	// Zoom fits the axes that run from 0 to 1 to the data, with a margin.
	function zoom(option) {
		for (const k of ["xAxis", "yAxis"]) {
			for (const a of option[k]) {
				if (a.min === 0 && a.max === 1) {
					a.min = function (v) { return Math.max(0, Math.floor((v.min - 0.02) * 20) / 20); };
					a.max = function (v) { return Math.min(1, Math.ceil((v.max + 0.02) * 20) / 20); };
					a.scale = true;
				}
			}
		}
	}

	// A legend of several lines makes the chart taller, not its plot smaller.
	function size(f) {
		const extra = f.option.extra || { wide: 0, narrow: 0 };
		const height = Number(f.box.dataset.height) + (f.box.clientWidth < 560 ? extra.narrow : extra.wide) + "px";
		if (f.box.style.height === height) return;
		f.box.style.height = height;
		if (f.chart) f.chart.resize();
	}

	function draw(f) {
		size(f);
		const p = palette();
		const option = themed(resolve(structuredClone(f.option), "", p.colour), p.colour);
		p.end();
		fit(option, f.box.clientWidth);
		select(option);
		if (f.zoomed) zoom(option);
		f.chart.setOption(option, { notMerge: true });
	}

	// ---- selection ---------------------------------------------------------

	function choose(arm) {
		selected = arm === selected ? "" : arm;
		if (selected) url.searchParams.set("arm", selected);
		else url.searchParams.delete("arm");
		history.replaceState(null, "", url);
		mark();
		figures.forEach(draw);
	}

	function mark() {
		for (const row of document.querySelectorAll("[data-arm]")) {
			row.toggleAttribute("data-current", row.dataset.arm === selected && selected !== "");
		}
	}

	// ---- downloads ---------------------------------------------------------

	function save(name, blob) {
		const a = document.createElement("a");
		a.href = URL.createObjectURL(blob);
		a.download = name;
		a.click();
		setTimeout(function () { URL.revokeObjectURL(a.href); }, 1000);
	}

	// A cell that a spreadsheet would run as a formula is quoted as text.
	function cell(text) {
		let s = text.trim().replace(/\s+/g, " ");
		if (/^[=+@\t\r]|^-(?![\d.])/.test(s)) s = "'" + s;
		return /[",\n]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s;
	}

	function csv(figure) {
		return Array.from(figure.querySelectorAll("table tr"), function (tr) {
			return Array.from(tr.cells, function (c) { return cell(c.textContent); }).join(",");
		}).join("\r\n") + "\r\n";
	}

	function svg(f) {
		const other = echarts.init(null, null, { renderer: "svg", ssr: true, width: f.box.clientWidth, height: f.box.clientHeight });
		const p = palette();
		const option = themed(resolve(structuredClone(f.option), "", function (name) {
			return name === "hatch" ? p.colour("error") : p.colour(name); // patterns are images, which an SVG file must not need
		}), p.colour);
		option.backgroundColor = p.colour("paper");
		p.end();
		if (f.zoomed) zoom(option);
		other.setOption(option);
		const text = other.renderToSVGString();
		other.dispose();
		return text;
	}

	function png(f) {
		const p = palette();
		const data = f.chart.getDataURL({ type: "png", pixelRatio: 2, backgroundColor: p.colour("paper") });
		p.end();
		const bytes = Uint8Array.from(atob(data.split(",")[1]), function (c) { return c.charCodeAt(0); });
		return new Blob([bytes], { type: "image/png" });
	}

	// ---- start -------------------------------------------------------------

	function start(root) {
		for (let i = figures.length - 1; i >= 0; i--) { // replaced by a newer fragment
			if (figures[i].box.isConnected) continue;
			figures[i].chart.dispose();
			figures.splice(i, 1);
		}
		for (const box of root.querySelectorAll("[data-chart]")) {
			const block = document.getElementById(box.dataset.chart);
			if (!block || box.dataset.drawn) continue;
			box.dataset.drawn = "1";
			const f = { box: box, option: JSON.parse(block.textContent), chart: null, zoomed: false };
			size(f);
			f.chart = echarts.init(box);
			f.chart.on("click", function (p) {
				const data = p.data || {};
				const series = f.option.series[p.seriesIndex] || {};
				const arm = data.arm || series.arm;
				if (arm) choose(arm);
				else if (data.href) location.assign(data.href);
			});
			// The legend selects an arm like a click on its line; nothing is hidden.
			f.chart.on("legendselectchanged", function (p) {
				const series = f.option.series.find(function (s) { return s.name === p.name; });
				if (series && series.arm) choose(series.arm);
				else draw(f);
			});
			figures.push(f);
			draw(f);
			let width = box.clientWidth;
			new ResizeObserver(function () {
				if (box.clientWidth === width) return;
				width = box.clientWidth;
				f.chart.resize();
				draw(f);
			}).observe(box);
		}
		mark();
	}

	document.addEventListener("click", function (event) {
		const button = event.target.closest("[data-save], [data-zoom]");
		if (!button) return;
		const figure = button.closest("figure");
		const f = figures.find(function (f) { return figure.contains(f.box); });
		if (!f) return;
		const name = figure.dataset.file;
		if (button.hasAttribute("data-zoom")) {
			f.zoomed = !f.zoomed;
			button.setAttribute("aria-pressed", String(f.zoomed));
			draw(f);
			return;
		}
		switch (button.dataset.save) {
		case "csv": save(name + ".csv", new Blob([csv(figure)], { type: "text/csv" })); break;
		case "svg": save(name + ".svg", new Blob([svg(f)], { type: "image/svg+xml" })); break;
		case "png": save(name + ".png", png(f)); break;
		}
	});

	// A row of the arm table selects its arm too, unless a link was meant.
	document.addEventListener("click", function (event) {
		const pick = event.target.closest("[data-pick-arm]");
		if (pick) choose(pick.dataset.pickArm);
	});

	// Tables that the reader opened stay open when newer results take their place.
	let opened = [];
	document.addEventListener("htmx:beforeSwap", function () {
		opened = Array.from(document.querySelectorAll("figure.chart details[open]"), function (d) { return d.closest("figure").id; });
	});
	document.addEventListener("htmx:afterSwap", function () {
		for (const id of opened) {
			const details = document.querySelector("#" + CSS.escape(id) + " details");
			if (details) details.open = true;
		}
	});

	document.addEventListener("themechange", function () { figures.forEach(draw); });
	document.addEventListener("DOMContentLoaded", function () { start(document); });
	document.addEventListener("htmx:load", function (event) { start(event.target); });
})();
