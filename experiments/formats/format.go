package formats

// Format is the name of a format, as in the import report.
type Format string

// Formats. The names are stable: they are part of the dry-run interface.
const (
	PredictionsJSONL   Format = "predictions-jsonl"
	PredictionsArray   Format = "predictions-json-array"
	PredictionsKeyed   Format = "predictions-json-object-by-id"
	PredictionSingle   Format = "single-prediction-json"
	PredictionIndented Format = "predictions-one-indented-json-object-named-jsonl"
	InstanceReport     Format = "instance-report"
	InstanceReportFlat Format = "instance-report-flat"
	RunReport2024      Format = "run-report-2024"
	RunReportHarness   Format = "run-report"
	ResultsSummary     Format = "results-summary"
	DatasetRows        Format = "dataset-rows"
	VexpResults        Format = "vexp-results-jsonl"
	MiniSWEAgent1      Format = "mini-swe-agent-1"
	MiniSWEAgent11     Format = "mini-swe-agent-1.1"
	SWEAgent0          Format = "swe-agent-0.x"
	SWEAgent1          Format = "swe-agent-1.x"
	SWEAgentDemo       Format = "swe-agent-demo-history-only"
	ChatMessages       Format = "chat-message-list"
	PatchFile          Format = "patch-file"
	HarnessRunLog      Format = "harness-run-log"
	HarnessTestOutput  Format = "harness-test-output"
	EvalLog2024        Format = "eval-log-2024"
	GitHubPulls        Format = "github-pulls-jsonl"
	IDList             Format = "id-list"
	ResolvedOnly       Format = "swt-results"
	GitLFSPointer      Format = "git-lfs-pointer"
	MiniExitStatuses   Format = "mini-exit-statuses-yaml"
	JSONInvalid        Format = "json-invalid"
	JSONOther          Format = "json-other"
	JSONLOther         Format = "jsonl-other"
	Text               Format = "text"
)

// spec is what is known of a format: how to tell it and how to read it.
type spec struct {
	match func(*look) Confidence
	read  func(*reading) error
}

// registry holds every format; order is the order in which Sniff tries them, the
// most telling first.
var (
	registry = map[Format]spec{}
	order    []Format
)

func register(f Format, s spec) {
	registry[f] = s
	order = append(order, f)
}

// Formats lists the formats that can be read.
func Formats() []Format { return append([]Format(nil), order...) }
