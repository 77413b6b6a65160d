package formats

// Format is the name of a format, as in the import report.
type Format string

// Formats. The names are stable: they are part of the dry-run interface.
const (
	PredictionsJSONL    Format = "predictions-jsonl"
	PredictionsArray    Format = "predictions-json-array"
	PredictionsKeyed    Format = "predictions-json-object-by-id"
	PredictionSingle    Format = "single-prediction-json"
	PredictionIndented  Format = "predictions-one-indented-json-object-named-jsonl"
	InstanceReport      Format = "instance-report"
	InstanceReportFlat  Format = "instance-report-flat"
	RunReport2024       Format = "run-report-2024"
	RunReportHarness    Format = "run-report"
	ResultsSummary      Format = "results-summary"
	DatasetRows         Format = "dataset-rows"
	VexpResults         Format = "vexp-results-jsonl"
	MiniSWEAgent1       Format = "mini-swe-agent-1"
	MiniSWEAgent11      Format = "mini-swe-agent-1.1"
	SWEAgent0           Format = "swe-agent-0.x"
	SWEAgent1           Format = "swe-agent-1.x"
	SWEAgentDemo        Format = "swe-agent-demo-history-only"
	MoatlessSteps       Format = "moatless-steps"
	MoatlessTransitions Format = "moatless-transitions"
	MoatlessNodes       Format = "moatless-nodes"
	OpenHandsOutput     Format = "openhands-output-jsonl"
	OpenHandsResolver   Format = "openhands-resolver-jsonl"
	OpenHandsCompletion Format = "openhands-llm-completion"
	OpenHandsEvents     Format = "openhands-event-list"
	OpenHandsEvalLog    Format = "openhands-eval-log"
	OpenHandsReport     Format = "openhands-eval-report-md"
	CodexExec           Format = "codex-exec-events"
	CodexRollout        Format = "codex-rollout"
	ClaudeCode          Format = "claude-code-jsonl"
	ClaudeWeb           Format = "claude-code-web-session-json"
	PiSession           Format = "pi-session"
	GeminiSession       Format = "gemini-cli-json"
	OtherCLI            Format = "other-cli-jsonl"
	ACRMeta             Format = "acr-meta"
	ACRCost             Format = "acr-cost"
	ACRStatus           Format = "acr-extract-status"
	ACRCalls            Format = "acr-tool-calls"
	ACRLayers           Format = "acr-tool-call-layers"
	ACRProxy            Format = "acr-agent-proxy"
	ACRRaw              Format = "acr-raw-patch-text"
	ACRFinal            Format = "acr-final-report"
	SmithReport         Format = "swe-smith-run-report"
	LiveRun             Format = "swe-bench-live-run-report"
	LiveReport          Format = "swe-bench-live-report"
	PolyResult          Format = "polybench-result"
	PolyMetrics         Format = "polybench-metrics"
	MultiReport         Format = "multi-swe-bench-report"
	ResultArms          Format = "polydev-final-results"
	RunMetrics          Format = "run-metrics-json"
	ResolvedMap         Format = "resolved-map"
	RovoText            Format = "rovo-dev-text"
	ISWEText            Format = "iswe-yaml"
	MigbotText          Format = "migbot-md"
	SARIF               Format = "sarif"
	PylintJSON          Format = "pylint-json"
	RuffJSON            Format = "ruff-json"
	PytestJSON          Format = "pytest-json-report"
	PyflakesText        Format = "pyflakes-text"
	Flake8Text          Format = "flake8-text"
	StaticText          Format = "static-text"
	JUnitXML            Format = "junit-xml"
	EvalPlus            Format = "evalplus-results"
	BigCodeBench        Format = "bigcodebench-results"
	FunctionLevel       Format = "function-level-jsonl"
	HumanEvalGz         Format = "human-eval-jsonl-gz"
	QuixBugs            Format = "quixbugs-testcases"
	CrossExecution      Format = "cross-execution-expected"
	Candidates          Format = "patch-candidates"
	ApplyStatus         Format = "apply-status"
	PairsIndex          Format = "static-pairs-index"
	JudgeReply          Format = "judge-reply"
	JudgeJSON           Format = "judge-json"
	JudgeJSONL          Format = "judge-jsonl"
	AlpacaVotes         Format = "alpaca-raw-votes"
	VoteShapes          Format = "vote-shapes"
	ParquetRows         Format = "dataset-rows-parquet"
	RowsCSV             Format = "dataset-rows-csv"
	PredictionsCSV      Format = "predictions-csv"
	InspectZip          Format = "inspect-eval-zip"
	InspectJSON         Format = "inspect-json"
	ATIF                Format = "atif"
	OTelSpans           Format = "otel-json-lines"
	OwnTraces           Format = "plumbline-traces-jsonl"
	Promptfoo           Format = "promptfoo-results"
	VotesJSONL          Format = "votes-jsonl"
	VotesCSV            Format = "votes-csv"
	DecisionsJSONL      Format = "decisions-jsonl"
	DecisionsCSV        Format = "decisions-csv"
	VotesParquet        Format = "votes-parquet"
	DecisionsParquet    Format = "decisions-parquet"
	CriticTable         Format = "critic-table-csv"
	ChatMessages        Format = "chat-message-list"
	PatchFile           Format = "patch-file"
	HarnessRunLog       Format = "harness-run-log"
	HarnessTestOutput   Format = "harness-test-output"
	EvalLog2024         Format = "eval-log-2024"
	GitHubPulls         Format = "github-pulls-jsonl"
	IDList              Format = "id-list"
	ResolvedOnly        Format = "swt-results"
	GitLFSPointer       Format = "git-lfs-pointer"
	MiniExitStatuses    Format = "mini-exit-statuses-yaml"
	JSONInvalid         Format = "json-invalid"
	JSONOther           Format = "json-other"
	JSONLOther          Format = "jsonl-other"
	Text                Format = "text"
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
