package formats

import (
	"path"
	"strings"

	"plumbline/experiments/trace"
)

// AutoCodeRover keeps one folder for an attempt, <class>/<instance>_<date>_<time>,
// with one file for each thing it knows. Each becomes a Part of the folder; the
// Joiner makes the attempt. The class folder is the status. The patch is the
// extracted_patch_N.diff with the highest N.

// Classes of attempts, which are folder names.
var acrClasses = map[string]bool{
	"applicable_patch": true, "matched_but_empty_diff": true, "matched_but_empty_origin": true,
	"raw_patch_but_unmatched": true, "raw_patch_but_unparsed": true, "no_patch": true, "others": true,
}

func matchACRMeta(l *look) Confidence {
	if l.json.isObject() && l.json.has("task_id") && l.json.any("setup_info", "task_info") {
		return Certain
	}
	return None
}

func matchACRCost(l *look) Confidence {
	if l.json.isObject() && l.json.has("total_input_tokens", "total_output_tokens", "total_cost") && l.json.any("input_cost_per_token", "commit") {
		return Certain
	}
	return None
}

func matchACRStatus(l *look) Confidence {
	if l.json.isObject() && len(l.json.keys) == 1 && l.json.at("extract_status").isArray() {
		return Certain
	}
	return None
}

func matchACRCalls(l *look) Confidence {
	if l.json.isArray() && l.json.item().has("func_name", "arguments") || l.json.isArray() && l.json.elems == 0 && l.lower() == "tool_call_sequence.json" {
		return Certain
	}
	return None
}

func matchACRLayers(l *look) Confidence {
	if l.json.isArray() && l.json.item().isArray() && l.json.item().item().has("func_name") || l.json.isArray() && l.json.elems == 0 && l.lower() == "tool_call_layers.json" {
		return Certain
	}
	return None
}

func matchACRProxy(l *look) Confidence {
	if l.json.isArray() && l.json.item().isArray() && l.json.item().item().has("role", "content") {
		return Certain
	}
	return None
}

// matchACRRaw knows the answer of the patch writer: modifications in tags.
func matchACRRaw(l *look) Confidence {
	if l.json == nil && strings.Contains(l.text, "<file>") && (strings.Contains(l.text, "<original>") || strings.Contains(l.text, "<patched>")) || strings.HasPrefix(l.lower(), "agent_patch_raw") {
		return Likely
	}
	return None
}

func matchACRFinal(l *look) Confidence {
	if l.json.isObject() && l.json.any("resolved_per_project") && l.json.any("resolved", "stats") {
		return Certain
	}
	return None
}

func (x *reading) folder() string { return path.Dir(x.src.Path) }

func (x *reading) part(kind string) *Part {
	p := &Part{Pos: x.at(0, ""), Folder: x.folder(), Kind: kind}
	p.Trace.Agent = "AutoCodeRover"
	return p
}

func readACRMeta(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	info := obj(m["task_info"])
	x.count(1)
	p := x.part(PartMeta)
	p.Trace.InstanceID = first(m, "task_id")
	fill(&p.Trace.InstanceID, str(info["instance_id"]))
	p.Repo, p.Base = str(info["repo"]), str(info["base_commit"])
	if class := path.Base(path.Dir(x.folder())); acrClasses[class] {
		p.Trace.Status = class
	}
	if err := x.put(p); err != nil || info == nil {
		return err
	}
	row := rowOf(info)
	row.Pos, row.Embedded = x.at(0, "task_info"), true
	fill(&row.Instance.ID, p.Trace.InstanceID)
	return x.put(row)
}

func readACRCost(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	x.count(1)
	p := x.part(PartCost)
	p.Trace.Model = str(m["model"])
	p.Trace.Usage = trace.Usage{CostUSD: float(m["total_cost"]), InputTokens: integer(m["total_input_tokens"]), OutputTokens: integer(m["total_output_tokens"]), Duration: seconds(m["elapsed_seconds"])}
	return x.put(p)
}

func readACRStatus(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	tries := texts(obj(v)["extract_status"])
	x.count(len(tries))
	p := x.part(PartStatus)
	if class := path.Base(path.Dir(x.folder())); acrClasses[class] {
		p.Trace.Status = class
	} else if len(tries) > 0 {
		p.Trace.Status = strings.ToLower(tries[len(tries)-1])
	}
	return x.put(p)
}

func readACRCalls(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	calls := list(v)
	of := x.ref()
	p := x.part(PartSteps)
	for i, c := range calls {
		m := obj(c)
		ok := boolean(m["call_ok"])
		st := trace.Step{Index: i, Kind: trace.StepAction, Tool: str(m["func_name"]), Action: compact(m["arguments"]), Error: ok != nil && !*ok}
		if err := x.put(&Step{Of: of, Step: st}); err != nil {
			return err
		}
	}
	x.count(len(calls))
	p.Steps = len(calls)
	return x.put(p)
}

// readACRLayers counts the entries of a list that is not used otherwise: layers of
// calls, or tries of the proxy.
func readACRLayers(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	x.count(len(list(v)))
	return nil
}

// readOne counts a document whose content is not used.
func readOne(x *reading) error {
	if _, err := x.tree(); err != nil {
		return err
	}
	x.count(1)
	return nil
}

func readACRRaw(x *reading) error {
	x.count(1)
	return nil
}

// readACRFinal reads final_report.json of the same authors: resolved ids only,
// the rest of the run was not resolved.
func readACRFinal(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	rep := &RunReport{Pos: x.at(0, ""), Resolved: texts(obj(v)["resolved"]), Rest: ReasonUnresolved}
	for _, id := range rep.Resolved {
		rep.Outcomes = append(rep.Outcomes, Outcome{InstanceID: id, Resolved: ptr(true), Reason: ReasonResolved, List: "resolved"})
	}
	return x.put(rep)
}

// acrPatch reports whether a file name is that of an extracted patch.
func acrPatch(name string) bool {
	return strings.HasPrefix(name, "extracted_patch_") && strings.HasSuffix(name, ".diff")
}
