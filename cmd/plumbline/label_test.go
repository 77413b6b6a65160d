package main

import "testing"

// Labels and controlled cases by execution, of the bundled cases and of a plain git
// clone with a dataset row, official tests and attempts.
func TestLabelScripts(t *testing.T) {
	t.Parallel()
	needSandbox(t, "python3 -c 'import unittest'", "python3 -m pytest --version")
	scripts(t, "testdata/scripts_label")
}
