// Keys that work on every page. A page adds its own by marking elements:
//   data-rows            a table or list whose [data-row] children j and k walk
//   data-key="e"         a link or button that the key presses
//   data-key-next/prev   handled as data-key="n" and data-key="p"
// Nothing happens while the reader types in a field or holds a modifier.
(function () {
	"use strict";

	function typing(el) {
		return el && (el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName));
	}

	function rows() {
		return Array.from(document.querySelectorAll("[data-rows] [data-row]")).filter(function (r) {
			return r.offsetParent !== null;
		});
	}

	function current(all) {
		return all.findIndex(function (r) { return r.hasAttribute("data-current"); });
	}

	function walk(step) {
		const all = rows();
		if (!all.length) return false;
		const at = current(all);
		const to = Math.max(0, Math.min(all.length - 1, at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step));
		if (at >= 0) all[at].removeAttribute("data-current");
		const row = all[to];
		row.setAttribute("data-current", "");
		const link = row.querySelector("a[href]");
		if (link) link.focus({ preventScroll: true });
		row.scrollIntoView({ block: "nearest" });
		return true;
	}

	function open() {
		const all = rows();
		const at = current(all);
		const link = at >= 0 && all[at].querySelector("a[data-open], a[href]");
		if (!link) return false;
		link.click();
		return true;
	}

	function help() {
		const dialog = document.getElementById("keys");
		if (!dialog) return false;
		if (dialog.open) dialog.close();
		else dialog.showModal();
		return true;
	}

	function search() {
		const field = document.querySelector("[data-search]");
		if (!field) return false;
		field.focus();
		field.select();
		return true;
	}

	function press(key) {
		const el = document.querySelector('[data-key="' + CSS.escape(key) + '"]');
		if (!el) return false;
		el.click();
		return true;
	}

	document.addEventListener("keydown", function (event) {
		if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
		if (event.key === "Escape" && typing(event.target)) {
			event.target.blur();
			return;
		}
		if (typing(event.target)) return;
		let done;
		switch (event.key) {
		case "?": done = help(); break;
		case "/": done = search(); break;
		default:
			if (document.querySelector("dialog[open]")) return;
			done = press(event.key);
			if (done) break;
			if (event.key === "j") done = walk(1);
			else if (event.key === "k") done = walk(-1);
			else if (event.key === "o") done = open();
		}
		if (done) event.preventDefault();
	});

	document.addEventListener("click", function (event) {
		const t = event.target;
		if (t.closest("[data-keys-open]")) help();
		const close = t.closest("[data-dialog-close]");
		if (close) close.closest("dialog").close();
		// A click elsewhere closes an open menu.
		for (const menu of document.querySelectorAll("details.menu[open]")) {
			if (!menu.contains(t)) menu.open = false;
		}
	});

	// Times are rendered in UTC; the exact one in the title becomes the reader's own.
	function times(root) {
		for (const el of root.querySelectorAll("time[datetime]")) {
			const at = new Date(el.dateTime);
			if (!isNaN(at)) el.title = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });
		}
	}
	document.addEventListener("DOMContentLoaded", function () { times(document); });
	document.addEventListener("htmx:load", function (event) { times(event.target); });

	// A field that is there to be copied selects itself.
	document.addEventListener("focusin", function (event) {
		if (event.target.matches("[data-select]")) event.target.select();
	});

	// "Are you sure" only where data is lost or money is spent; the text is the form's.
	document.addEventListener("submit", function (event) {
		const text = event.target.dataset.confirm;
		if (text && !window.confirm(text)) event.preventDefault();
	});
})();
