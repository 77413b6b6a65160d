package patch

import (
	"path"
	"strings"
)

// IsTestPath reports whether a path names a test by the conventions of the
// languages in the benchmarks: a folder called test, tests, __tests__, spec,
// specs, e2e, testdata or fixtures under one of them, or a file name such as
// test_x.py, x_test.go, x.spec.ts, XTest.java, conftest.py. A folder called
// "testing" is not one: in several libraries it is shipped code.
func IsTestPath(p string) bool {
	p = strings.TrimPrefix(strings.ReplaceAll(p, `\`, "/"), "./")
	dir, name := path.Split(p)
	for _, seg := range strings.Split(strings.Trim(dir, "/"), "/") {
		switch strings.ToLower(seg) {
		case "test", "tests", "__tests__", "spec", "specs", "e2e", "testdata", "unittests", "test-data", "regression-tests":
			return true
		}
	}
	return isTestName(name)
}

func isTestName(name string) bool {
	lower := strings.ToLower(name)
	stem, ext := strings.TrimSuffix(lower, path.Ext(lower)), path.Ext(lower)
	switch {
	case lower == "conftest.py", lower == "tests.py", lower == "test.py":
		return true
	case strings.HasPrefix(stem, "test_"), strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, "_tests"), strings.HasSuffix(stem, "_spec"):
		return true
	case strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"), strings.HasSuffix(stem, "-test"), strings.HasSuffix(stem, "-spec"), strings.HasSuffix(stem, ".e2e"):
		return true
	}
	switch ext {
	case ".java", ".kt", ".scala", ".cs", ".php", ".swift", ".groovy":
		// Camel case only: FooTest.java is a test, Latest.java is not.
		s := strings.TrimSuffix(name, path.Ext(name))
		return strings.HasSuffix(s, "Test") || strings.HasSuffix(s, "Tests") || strings.HasSuffix(s, "TestCase") || strings.HasSuffix(s, "IT") ||
			(strings.HasPrefix(s, "Test") && len(s) > 4 && s[4] >= 'A' && s[4] <= 'Z')
	}
	return false
}
