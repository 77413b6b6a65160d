package ablation_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/ablation"
)

const pyBase = `"""A module."""

import re


def read(text):
    """Read it."""
    return text.strip()


class Box:
    def put(self, item):
        self.item = item
`

const pyGold = `diff --git a/m.py b/m.py
--- a/m.py
+++ b/m.py
@@ -1,13 +1,30 @@
 """A module."""
 
+import os
 import re
+from json import (
+    dumps,
+    loads as parse,
+)
+import unused
 
 
-def read(text):
+def read(text, strict=False):
     """Read it."""
-    return text.strip()
+    if strict:
+        raise ValueError("""if a:
+    b""")
+    return parse(text.strip())
 
 
 class Box:
     def put(self, item):
+        if item is None:
+            return
+        elif item == os.sep: # a "comment (
+            item = dumps(item)
         self.item = item
+
+    def get(self):
+        """Get it."""
+        return self.item
`

const goBase = `package m

import "fmt"

func Read(s string) (string, error) {
	return fmt.Sprint(s), nil
}
`

const goGold = `diff --git a/m.go b/m.go
--- a/m.go
+++ b/m.go
@@ -1,7 +1,26 @@
 package m
 
-import "fmt"
+import (
+	"fmt"
+	"strings"
+)
 
 func Read(s string) (string, error) {
+	if s == "" {
+		return "", fmt.Errorf("empty")
+	}
 	return fmt.Sprint(s), nil
 }
+
+// Split cuts.
+func Split(s string) ([]string, error) {
+	switch {
+	case strings.HasPrefix(s, ","):
+		return nil, nil
+	}
+	return strings.Split(s, ","), nil
+}
+
+func (b *Box[T]) Name() (n string) { return "x" }
+
+type Box[T any] struct{}
`

// list shows proposals shortly.
func list(all []ablation.Ablation) string {
	var b strings.Builder
	for _, a := range all {
		b.WriteString(a.Name + " | " + a.Missing + "\n")
	}
	return b.String()
}

func TestPropose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, language, file, base, gold, want string }{
		{"python", "python", "m.py", pyBase, pyGold, `import-m-3 | m.py: import os is missing, and the code uses it
import-m-5 | m.py: from json import ( dumps, loads as parse, ) is missing, and the code uses it
surface-m-12 | m.py: the implementation of read is missing; its interface is there
branch-m-14 | read in m.py: the branch "if strict" is missing
surface-m-21 | m.py: the implementation of Box.put is missing; its interface is there
branch-m-24 | Box.put in m.py: the branch "elif item == os.sep" is missing
surface-m-28 | m.py: the implementation of Box.get is missing; its interface is there
`},
		{"go", "go", "m.go", goBase, goGold, `import-m-5 | m.go: import "strings" is missing, and the code uses it
surface-m-8 | m.go: the implementation of Read is missing; its interface is there
branch-m-9 | Read in m.go: the branch "if s == \"\"" is missing
surface-m-16 | m.go: the implementation of Split is missing; its interface is there
branch-m-18 | Split in m.go: the branch "case strings.HasPrefix(s, \",\")" is missing
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			all, err := ablation.Propose(tt.language, map[string]string{tt.file: tt.base}, tt.gold)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, list(all)); diff != "" {
				t.Errorf("proposals (-want +got):\n%s", diff)
			}
			for _, a := range all {
				apply(t, map[string]string{tt.file: tt.base}, a.Patch)
			}
		})
	}
}

// What is left of the file after some cuts.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, language, file, base, gold, cut, want string }{
		{"a changed function goes back to its body", "python", "m.py", pyBase, pyGold, "surface-m-12", "def read(text, strict=False):\n    \"\"\"Read it.\"\"\"\n    return text.strip()\n\n\nclass"},
		{"a new function keeps its docstring", "python", "m.py", pyBase, pyGold, "surface-m-28", "    def get(self):\n        \"\"\"Get it.\"\"\"\n        return None\n"},
		{"one arm of a chain", "python", "m.py", pyBase, pyGold, "branch-m-24", "        if item is None:\n            return\n        self.item = item\n"},
		{"a string that looks like code stays whole", "python", "m.py", pyBase, pyGold, "branch-m-14", "    \"\"\"Read it.\"\"\"\n    return parse(text.strip())\n"},
		{"zero values, and the import that only the body used", "go", "m.go", goBase, goGold, "surface-m-16",
			"import (\n\t\"fmt\"\n)\n\nfunc Read(s string) (string, error) {\n\tif s == \"\" {\n\t\treturn \"\", fmt.Errorf(\"empty\")\n\t}\n\treturn fmt.Sprint(s), nil\n}\n\n// Split cuts.\nfunc Split(s string) ([]string, error) {\n\tvar zero0 []string\n\tvar zero1 error\n\treturn zero0, zero1\n}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			all, err := ablation.Propose(tt.language, map[string]string{tt.file: tt.base}, tt.gold)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range all {
				if a.Name != tt.cut {
					continue
				}
				if got := apply(t, map[string]string{tt.file: tt.base}, a.Patch)[tt.file]; !strings.Contains(got, tt.want) {
					t.Errorf("the file is\n%s\nwant in it\n%s", got, tt.want)
				}
				return
			}
			t.Errorf("there is no %s", tt.cut)
		})
	}
}

func TestProposeRefuses(t *testing.T) {
	t.Parallel()
	if _, err := ablation.Propose("cobol", nil, pyGold); !errors.Is(err, ablation.ErrLanguage) {
		t.Errorf("error %v, want ErrLanguage", err)
	}
	if _, err := ablation.Propose("python", map[string]string{"m.py": "another file\n"}, pyGold); err == nil || !strings.Contains(err.Error(), "does not fit m.py") {
		t.Errorf("error %v, want one that says the patch does not fit", err)
	}
	for name, gold := range map[string]string{
		"no patch":        "",
		"a test only":     strings.ReplaceAll(pyGold, "m.py", "tests/test_m.py"),
		"another kind":    strings.ReplaceAll(pyGold, "m.py", "m.txt"),
		"go that is none": "diff --git a/x.go b/x.go\nnew file mode 100644\n--- /dev/null\n+++ b/x.go\n@@ -0,0 +1 @@\n+if x {\n",
	} {
		lang := "python"
		if strings.Contains(name, "go") {
			lang = "go"
		}
		all, err := ablation.Propose(lang, map[string]string{"m.py": pyBase, "tests/test_m.py": pyBase, "m.txt": pyBase}, gold)
		if err != nil || len(all) > 0 {
			t.Errorf("%s: %d proposals, error %v", name, len(all), err)
		}
	}
}

// Hostile text must not make it fail or hang.
func FuzzProposePython(f *testing.F) {
	f.Add("def f(:\n  if x:\n'''\n")
	f.Add("if a:\n\tpass\nelif b:\nelse:\n")
	f.Add("import os, sys as s\nfrom . import (a,\n")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\r\x00") || text == "" {
			return
		}
		var b strings.Builder
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		b.WriteString("diff --git a/m.py b/m.py\nnew file mode 100644\n--- /dev/null\n+++ b/m.py\n@@ -0,0 +1," + strconv.Itoa(len(lines)) + " @@\n")
		for _, l := range lines {
			b.WriteString("+" + l + "\n")
		}
		if _, err := ablation.Propose("python", nil, b.String()); err != nil && !strings.Contains(err.Error(), "does not fit") {
			t.Errorf("%v", err)
		}
	})
}
