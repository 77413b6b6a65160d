// Package published gives tests the published files of others that readers are
// measured on. They are test input and no part of the repository.
package published

import (
	"os"
	"path/filepath"
	"testing"
)

// Folder is the folder of real files: data/real below $PLUMBLINE_SHARED, by default
// below ../shared beside the repository. Without it the test is skipped, or fails
// where PLUMBLINE_TEST_REQUIRE=all forbids that.
func Folder(t testing.TB) string {
	t.Helper()
	root := os.Getenv("PLUMBLINE_SHARED")
	if root == "" {
		root = filepath.Join(repository(t), "..", "shared")
	}
	folder := filepath.Join(root, "data", "real")
	if _, err := os.Stat(filepath.Join(folder, "expected.json")); err != nil {
		why := "published files are missing: " + err.Error()
		if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	return folder
}

// repository is the folder with go.mod above the test's own.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}
