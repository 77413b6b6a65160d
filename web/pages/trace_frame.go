package pages

import "plumbline/web/layout"

// htmx is the script that loads a part of a page; every page that names it works
// without it.
const htmxScript = "vendor/htmx/htmx.min.js"

// withScripts is f with scripts added, whatever the handler set before.
func withScripts(f layout.Frame, names ...string) layout.Frame {
	f.Scripts = append(append([]string(nil), f.Scripts...), names...)
	return f
}

func (v Trace) frame() layout.Frame {
	f := withScripts(v.Frame, htmxScript)
	f.Wide = true
	if len(f.Keys) == 0 {
		f.Keys = []layout.Key{
			{Keys: "j k", Does: "next and previous trace of the list"}, {Keys: "u", Does: "back to the list"},
			{Keys: "h l", Does: "earlier and later steps"},
			{Keys: "i d e c s", Does: "issue, diff, evidence, checks, steps"}, {Keys: "v", Does: "votes"},
		}
	}
	return f
}
