// The upload form: files and folders can be dropped, what was chosen is listed,
// and a bar shows how much has been sent. Without this script it is a plain form.
(function () {
	"use strict";

	const form = document.querySelector("form[data-upload]");
	if (!form) return;
	const zone = form.querySelector("[data-drop]");
	const list = form.querySelector("[data-drop-list]");
	const bar = form.querySelector("[data-upload-progress]");
	const status = form.querySelector("[data-upload-status]");
	const dropped = []; // {file, path}

	function say(text) { status.textContent = text; }

	function chosen() {
		const out = [];
		for (const input of form.querySelectorAll('input[type="file"]')) {
			for (const file of input.files) out.push({ file: file, path: file.webkitRelativePath || file.name });
		}
		return out.concat(dropped);
	}

	function show() {
		const all = chosen();
		list.replaceChildren();
		let bytes = 0;
		all.forEach(function (item, i) {
			bytes += item.file.size;
			if (i >= 200) return;
			const li = document.createElement("li");
			li.textContent = item.path;
			list.append(li);
		});
		if (all.length > 200) {
			const li = document.createElement("li");
			li.textContent = "and " + (all.length - 200) + " more";
			list.append(li);
		}
		say(all.length ? all.length + (all.length === 1 ? " file, " : " files, ") + size(bytes) : "");
	}

	function size(n) {
		if (n < 1e3) return n + " B";
		if (n < 1e6) return (n / 1e3).toFixed(1) + " kB";
		if (n < 1e9) return (n / 1e6).toFixed(1) + " MB";
		return (n / 1e9).toFixed(2) + " GB";
	}

	// walk adds a dropped entry; a folder answers its entries in parts.
	function walk(entry, prefix) {
		if (entry.isFile) {
			return new Promise(function (done) {
				entry.file(function (file) { dropped.push({ file: file, path: prefix + file.name }); done(); }, done);
			});
		}
		const reader = entry.createReader();
		const next = function () {
			return new Promise(function (done) { reader.readEntries(done, function () { done([]); }); }).then(function (entries) {
				if (!entries.length) return;
				return Promise.all(entries.map(function (e) { return walk(e, prefix + entry.name + "/"); })).then(next);
			});
		};
		return next();
	}

	for (const kind of ["dragenter", "dragover"]) {
		zone.addEventListener(kind, function (event) { event.preventDefault(); zone.classList.add("drop-over"); });
	}
	for (const kind of ["dragleave", "drop"]) {
		zone.addEventListener(kind, function () { zone.classList.remove("drop-over"); });
	}
	zone.addEventListener("drop", function (event) {
		event.preventDefault();
		const entries = Array.from(event.dataTransfer.items || [], function (i) { return i.webkitGetAsEntry && i.webkitGetAsEntry(); }).filter(Boolean);
		Promise.all(entries.map(function (e) { return walk(e, ""); })).then(show);
	});
	form.addEventListener("change", show);

	form.addEventListener("submit", function (event) {
		const all = chosen();
		if (!all.length) return; // the server answers what is missing
		event.preventDefault();
		const data = new FormData();
		for (const field of form.querySelectorAll("input:not([type=file]), select, textarea")) {
			if (field.name) data.append(field.name, field.value);
		}
		for (const item of all) data.append("files", item.file, item.path);
		const request = new XMLHttpRequest();
		request.open("POST", form.action);
		const token = form.querySelector("input[name=csrf]");
		if (token) request.setRequestHeader("X-CSRF-Token", token.value);
		request.upload.onprogress = function (e) {
			bar.hidden = false;
			if (e.lengthComputable) bar.value = e.loaded / e.total;
			say(e.loaded < e.total ? "sent " + size(e.loaded) + " of " + size(e.total) : "received; reading");
		};
		request.onload = function () {
			// A redirect was followed to the report; anything else is the page to show.
			if (request.status < 400 && request.responseURL && request.responseURL !== form.action) {
				window.location.assign(request.responseURL);
				return;
			}
			const page = new DOMParser().parseFromString(request.responseText, "text/html");
			const why = page.querySelector(".field-error, .flash-bad, main p");
			bar.hidden = true;
			say(why ? why.textContent.trim() : "The server answered " + request.status + ".");
		};
		request.onerror = function () { bar.hidden = true; say("The connection broke before everything was sent. Nothing was imported; try again."); };
		request.send(data);
	});
})();
