package gentest_test

import (
	"strings"
	"testing"

	"plumbline/experiments/cascade/gentest"
	"plumbline/experiments/trace"
)

func TestLeaks(t *testing.T) {
	t.Parallel()
	hidden := []string{
		"class LimitTest(unittest.TestCase):", "    def test_the_limit_is_kept(self):", "        limiter = build_limiter(limit=2)",
		"        limiter.allow(\"client\", at=1)", "        limiter.allow(\"client\", at=2)", "        self.assertFalse(limiter.allow(\"client\", at=3))",
	}
	oracle := trace.Oracle{
		TestPatch:  "diff --git a/t.py b/t.py\nnew file mode 100644\n--- /dev/null\n+++ b/t.py\n@@ -0,0 +1,6 @@\n+" + strings.Join(hidden, "\n+") + "\n",
		FailToPass: []string{"t.LimitTest.test_the_limit_is_kept"},
	}
	met := "import unittest\n\nclass Mine(unittest.TestCase):\n    def test_mine(self):\n        one = 1\n        self.assertFalse(limiter.allow(\"client\", at=3))\n        self.assertEqual(one, compute(1))\n"
	if gentest.Recalled(met, "", oracle, "") {
		t.Error("one equal line makes a remembered test")
	}
	if got := gentest.Withheld(met, "", oracle, ""); strings.Contains(got, "at=3") || !strings.Contains(got, "compute(1)") || !strings.Contains(got, "withheld") {
		t.Errorf("withheld:\n%s", got)
	}
	whole := "import unittest\n" + strings.Join(hidden, "\n") + "\n"
	if !gentest.Recalled(whole, "", oracle, "") {
		t.Error("the official test itself is not recognised")
	}
	if gentest.Recalled(whole, strings.Join(hidden, "\n"), oracle, "") {
		t.Error("what anybody may read is hidden")
	}
	if got := gentest.Withheld(met, "", trace.Oracle{}, ""); got != met {
		t.Errorf("without an oracle: %q", got)
	}
}
