package ladder_test

import (
	"math"
	"testing"

	"plumbline/experiments/ladder"
)

func TestSizeOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]float64{
		"Llama-3.1-8B-Instruct": 8, "meta-llama/Llama-3.1-8B": 8, "Qwen2.5-Coder-32B-Instruct": 32, "qwen-2.5-72b": 72, "gpt-oss-120b": 120, "gpt-oss:20b": 20,
		"Qwen3-235B-A22B-Instruct-2507": 235, "qwen3_0.6b": 0.6, "mixtral-8x7b": 56, "llama3:70b": 70, "phi-1.5B": 1.5, "8B": 8,
	} {
		if got, ok := ladder.SizeOf(name); !ok || got != want {
			t.Errorf("%s: %v, %t", name, got, ok)
		}
	}
	for _, name := range []string{"", "gpt-4.1", "claude-sonnet-4.5", "gpt-5.4-2026-03-05", "o3", "model-a22b", "v2beta", "0b", "bert-110m", "abc8bit", "8bit-model", "nan b"} {
		if got, ok := ladder.SizeOf(name); ok {
			t.Errorf("%q is taken for %v billions", name, got)
		}
	}
}

// The published ladder of paper G is not monotonic in catch under structured
// evidence: 8, 32, 72, 120, 235 billions catch 0.70, 0.69, 0.43, 0.51, 0.28.
func TestTrend(t *testing.T) {
	t.Parallel()
	got := ladder.TrendOf([]ladder.Rung{{8, 0.70}, {32, 0.69}, {72, 0.43}, {120, 0.51}, {235, 0.28}})
	if got.N != 5 || got.Monotonic || got.Tau.Value == nil || math.Abs(*got.Tau.Value+0.8) > 1e-12 {
		t.Errorf("%+v", got)
	}
	if up := ladder.TrendOf([]ladder.Rung{{1, 0.1}, {2, 0.2}, {3, 0.2}, {9, 0.5}}); !up.Monotonic || *up.Tau.Value <= 0 {
		t.Errorf("a rising ladder: %+v", up)
	}
	for name, rungs := range map[string][]ladder.Rung{"none": nil, "two": {{1, 0.1}, {2, 0.9}}, "equal sizes": {{7, 0.1}, {7, 0.2}, {7, 0.3}}} {
		if x := ladder.TrendOf(rungs); x.Tau.Value != nil || x.Tau.Reason == "" {
			t.Errorf("%s: %+v", name, x)
		}
	}
}
