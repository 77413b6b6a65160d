// Remembers the reader's choice of light or dark. Loaded in the head without
// defer, so that the first paint already has the right colours.
(function () {
	"use strict";
	const root = document.documentElement;
	const order = ["auto", "light", "dark"];
	let choice = "auto";
	try {
		choice = localStorage.getItem("theme") || "auto";
	} catch (e) { /* storage is switched off: follow the system */ }

	function apply() {
		if (choice === "light" || choice === "dark") root.dataset.theme = choice;
		else delete root.dataset.theme;
		for (const b of document.querySelectorAll("[data-theme-switch]")) {
			b.textContent = "Theme: " + choice;
		}
		document.dispatchEvent(new CustomEvent("themechange"));
	}
	root.dataset.js = "";
	apply();

	document.addEventListener("DOMContentLoaded", apply);
	document.addEventListener("click", function (event) {
		if (!event.target.closest("[data-theme-switch]")) return;
		choice = order[(order.indexOf(choice) + 1) % order.length];
		try {
			localStorage.setItem("theme", choice);
		} catch (e) { /* not remembered, still applied */ }
		apply();
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () {
		document.dispatchEvent(new CustomEvent("themechange"));
	});
})();
