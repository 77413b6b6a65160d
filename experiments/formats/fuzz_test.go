package formats_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"plumbline/experiments/formats"
)

// fuzzFormats feeds arbitrary bytes to the readers of the formats, starting from
// their small files. A reader must not panic or fail, must give the same records
// when it reads the same bytes again, and its steps must name the trajectory that
// follows them.
func fuzzFormats(f *testing.F, names ...formats.Format) {
	for _, s := range seeds(f) {
		for i, n := range names {
			if s.format == n {
				f.Add(byte(i), s.bytes)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which byte, b []byte) {
		format := names[int(which)%len(names)]
		first := readFuzz(t, format, b)
		if again := readFuzz(t, format, b); again != first {
			t.Errorf("read %d records, then %d", first, again)
		}
		formats.Sniff("fuzz", b[:min(len(b), formats.SniffLen)])
	})
}

func readFuzz(t *testing.T, format formats.Format, b []byte) int {
	t.Helper()
	j := formats.NewJoiner(formats.Options{KeepSummaries: true})
	n := 0
	waiting := -1
	rep, err := formats.Read(format, bytes.NewReader(b), formats.Source{Path: "run/acme__shop-7/fuzz", Size: int64(len(b))}, func(r formats.Record) error {
		n++
		switch v := r.(type) {
		case *formats.Step:
			if waiting >= 0 && v.Of.N != waiting {
				t.Errorf("steps of %d and %d are mixed", waiting, v.Of.N)
			}
			waiting = v.Of.N
		case *formats.Trajectory:
			if waiting >= 0 && v.N != waiting {
				t.Errorf("trajectory %d follows steps of %d", v.N, waiting)
			}
			waiting = -1
		case *formats.Part, *formats.Problem:
			waiting = -1
		}
		return j.Add(r)
	})
	if err != nil {
		t.Errorf("an error about bytes in memory: %v", err)
	}
	j.File(rep)
	formats.DryRun(j.Finish())
	return n
}

func FuzzPredictions(f *testing.F) {
	fuzzFormats(f, formats.PredictionsJSONL, formats.PredictionsArray, formats.PredictionsKeyed, formats.PredictionSingle, formats.PredictionIndented)
}
func FuzzPredictionsCSV(f *testing.F) { fuzzFormats(f, formats.PredictionsCSV) }
func FuzzInstanceReport(f *testing.F) {
	fuzzFormats(f, formats.InstanceReport, formats.InstanceReportFlat)
}
func FuzzRunReport(f *testing.F)      { fuzzFormats(f, formats.RunReportHarness) }
func FuzzRunReport2024(f *testing.F)  { fuzzFormats(f, formats.RunReport2024, formats.JSONInvalid) }
func FuzzResultsSummary(f *testing.F) { fuzzFormats(f, formats.ResultsSummary) }
func FuzzResolvedOnly(f *testing.F)   { fuzzFormats(f, formats.ResolvedOnly) }
func FuzzACRFinal(f *testing.F)       { fuzzFormats(f, formats.ACRFinal) }
func FuzzSmithReport(f *testing.F)    { fuzzFormats(f, formats.SmithReport) }
func FuzzLiveRun(f *testing.F)        { fuzzFormats(f, formats.LiveRun) }
func FuzzLiveReport(f *testing.F)     { fuzzFormats(f, formats.LiveReport) }
func FuzzPolyResult(f *testing.F)     { fuzzFormats(f, formats.PolyResult) }
func FuzzMultiReport(f *testing.F)    { fuzzFormats(f, formats.MultiReport) }
func FuzzResolvedMap(f *testing.F)    { fuzzFormats(f, formats.ResolvedMap) }
func FuzzResultArms(f *testing.F)     { fuzzFormats(f, formats.ResultArms) }
func FuzzRows(f *testing.F)           { fuzzFormats(f, formats.DatasetRows) }
func FuzzRowsCSV(f *testing.F)        { fuzzFormats(f, formats.RowsCSV) }

// FuzzParquet starts from rows alone: votes and decisions go through the same
// reader, which tells them by their columns, and their thirty columns make every
// run slow. What a file may cost grows with its size, so large ones are left out.
func FuzzParquet(f *testing.F) {
	f.Add(parquetFile(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 8<<10 {
			return
		}
		first := readFuzz(t, formats.ParquetRows, b)
		if again := readFuzz(t, formats.ParquetRows, b); again != first {
			t.Errorf("read %d records, then %d", first, again)
		}
		formats.Sniff("fuzz", b)
	})
}

func FuzzVexp(f *testing.F) { fuzzFormats(f, formats.VexpResults) }
func FuzzMini(f *testing.F) { fuzzFormats(f, formats.MiniSWEAgent1, formats.MiniSWEAgent11) }
func FuzzSWEAgent(f *testing.F) {
	fuzzFormats(f, formats.SWEAgent0, formats.SWEAgent1, formats.SWEAgentDemo)
}
func FuzzMoatless(f *testing.F) {
	fuzzFormats(f, formats.MoatlessSteps, formats.MoatlessTransitions, formats.MoatlessNodes)
}
func FuzzOpenHands(f *testing.F)           { fuzzFormats(f, formats.OpenHandsOutput, formats.OpenHandsResolver) }
func FuzzOpenHandsEvents(f *testing.F)     { fuzzFormats(f, formats.OpenHandsEvents) }
func FuzzOpenHandsCompletion(f *testing.F) { fuzzFormats(f, formats.OpenHandsCompletion) }
func FuzzOpenHandsEvalLog(f *testing.F)    { fuzzFormats(f, formats.OpenHandsEvalLog) }
func FuzzOpenHandsReport(f *testing.F)     { fuzzFormats(f, formats.OpenHandsReport) }
func FuzzCodexExec(f *testing.F)           { fuzzFormats(f, formats.CodexExec) }
func FuzzCodexRollout(f *testing.F)        { fuzzFormats(f, formats.CodexRollout) }
func FuzzClaudeCode(f *testing.F)          { fuzzFormats(f, formats.ClaudeCode) }
func FuzzClaudeWeb(f *testing.F)           { fuzzFormats(f, formats.ClaudeWeb) }
func FuzzAutoCodeRover(f *testing.F) {
	fuzzFormats(f, formats.ACRMeta, formats.ACRCost, formats.ACRStatus, formats.ACRCalls, formats.ACRLayers, formats.ACRProxy, formats.ACRRaw)
}
func FuzzATIF(f *testing.F)       { fuzzFormats(f, formats.ATIF) }
func FuzzInspect(f *testing.F)    { fuzzFormats(f, formats.InspectJSON) }
func FuzzInspectZip(f *testing.F) { fuzzFormats(f, formats.InspectZip) }
func FuzzOTel(f *testing.F)       { fuzzFormats(f, formats.OTelSpans) }
func FuzzPromptfoo(f *testing.F)  { fuzzFormats(f, formats.Promptfoo) }
func FuzzOwnTraces(f *testing.F)  { fuzzFormats(f, formats.OwnTraces) }
func FuzzVotes(f *testing.F)      { fuzzFormats(f, formats.VotesJSONL, formats.DecisionsJSONL) }
func FuzzVotesCSV(f *testing.F)   { fuzzFormats(f, formats.VotesCSV, formats.DecisionsCSV) }
func FuzzCritics(f *testing.F)    { fuzzFormats(f, formats.CriticTable) }
func FuzzSARIF(f *testing.F)      { fuzzFormats(f, formats.SARIF) }
func FuzzJUnit(f *testing.F)      { fuzzFormats(f, formats.JUnitXML) }
func FuzzPylint(f *testing.F)     { fuzzFormats(f, formats.PylintJSON) }
func FuzzRuff(f *testing.F)       { fuzzFormats(f, formats.RuffJSON) }
func FuzzPytestJSON(f *testing.F) { fuzzFormats(f, formats.PytestJSON) }
func FuzzStaticText(f *testing.F) {
	fuzzFormats(f, formats.PyflakesText, formats.Flake8Text, formats.StaticText)
}
func FuzzPatchFile(f *testing.F)    { fuzzFormats(f, formats.PatchFile) }
func FuzzRunLog(f *testing.F)       { fuzzFormats(f, formats.HarnessRunLog) }
func FuzzEvalLog(f *testing.F)      { fuzzFormats(f, formats.EvalLog2024) }
func FuzzRovo(f *testing.F)         { fuzzFormats(f, formats.RovoText) }
func FuzzISWE(f *testing.F)         { fuzzFormats(f, formats.ISWEText) }
func FuzzMigbot(f *testing.F)       { fuzzFormats(f, formats.MigbotText) }
func FuzzInstanceList(f *testing.F) { fuzzFormats(f, formats.ApplyStatus, formats.PairsIndex) }
func FuzzChat(f *testing.F)         { fuzzFormats(f, formats.ChatMessages) }
func FuzzExitStatuses(f *testing.F) { fuzzFormats(f, formats.MiniExitStatuses) }
func FuzzIDList(f *testing.F)       { fuzzFormats(f, formats.IDList) }

// FuzzCounted feeds the readers of files that are recognised and counted.
func FuzzCounted(f *testing.F) {
	fuzzFormats(f, formats.PiSession, formats.GeminiSession, formats.OtherCLI, formats.PolyMetrics, formats.RunMetrics, formats.EvalPlus, formats.BigCodeBench,
		formats.FunctionLevel, formats.HumanEvalGz, formats.QuixBugs, formats.CrossExecution, formats.Candidates, formats.JudgeReply, formats.JudgeJSON,
		formats.JudgeJSONL, formats.AlpacaVotes, formats.VoteShapes, formats.GitHubPulls, formats.GitLFSPointer, formats.HarnessTestOutput,
		formats.JSONOther, formats.JSONLOther, formats.Text)
}

// Every format has a fuzz target.
func TestEveryReaderIsFuzzed(t *testing.T) {
	t.Parallel()
	targets, err := os.ReadFile("fuzz_test.go")
	if err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadFile("format.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+)\s+Format = "([^"]+)"$`).FindAllStringSubmatch(string(names), -1) {
		n++
		if strings.HasSuffix(m[2], "-parquet") {
			continue // one reader, see FuzzParquet
		}
		if !regexp.MustCompile(`formats\.` + m[1] + `\b`).Match(targets) {
			t.Errorf("no fuzz target reads %s", m[2])
		}
	}
	if n != len(formats.Formats()) {
		t.Errorf("%d formats have a name, %d a reader", n, len(formats.Formats()))
	}
}
