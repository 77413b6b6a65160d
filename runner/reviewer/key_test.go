package reviewer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumbline/runner/reviewer/reviewertest"
)

// A key is in no error, log, configuration or print-out, even when the server sends
// it back and even when somebody pastes it where its reference belongs.
func TestKeysNeverShow(t *testing.T) {
	for name, make := range map[string]func(*reviewertest.Server) Spec{"openai": openAISpec, "anthropic": anthropicSpec} {
		t.Run(name, func(t *testing.T) {
			echo := func(reviewertest.Call) reviewertest.Fault {
				return reviewertest.RawBody(400, "text/plain", "bad header Bearer "+wrongKey+" <b>"+wrongKey+"</b> sk-proj-abcdefgh12345678")
			}
			for _, srv := range []*reviewertest.Server{
				reviewertest.New(t, reviewertest.Options{Key: testKey}),
				reviewertest.New(t, reviewertest.Options{Fault: echo}),
			} {
				d, _ := testDeps(t)
				spec := make(srv)
				spec.Key = "env:WRONG"
				r := mustNew(t, spec, d)
				_, err := r.Ask(t.Context(), testRequest(t, 0))
				e := asError(t, err)
				var log bytes.Buffer
				slog.New(slog.NewJSONHandler(&log, nil)).Error("vote", "err", err, "spec", spec, "reviewer", fmt.Sprintf("%+v", r))
				raw, jsonErr := json.Marshal(map[string]any{"error": e, "spec": spec})
				if jsonErr != nil {
					t.Fatal(jsonErr)
				}
				for _, text := range []string{err.Error(), fmt.Sprintf("%+v %#v", e, e), fmt.Sprintf("%+v %#v %v", spec, spec, r), fmt.Sprintf("%#v", r), string(raw), log.String()} {
					for _, key := range []string{wrongKey, "abcdefgh12345678"} {
						if strings.Contains(text, key) {
							t.Errorf("a key shows in %.300q", text)
						}
					}
				}
				if e.Class != ClassAuth && e.Class != ClassBadRequest || e.Attempts != 1 || !e.Permanent {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

func TestPastedKeys(t *testing.T) {
	spec := Spec{Kind: KindOpenAI, BaseURL: "https://user:hunter2@x.example/v1", Model: "m", Key: testKey}
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	redacted := spec.Redacted()
	shown := fmt.Sprintf("%v %+v %#v %s %v", spec.Key, redacted, redacted, raw, spec.Validate())
	if strings.Contains(shown, testKey) || strings.Contains(fmt.Sprint(redacted), "hunter2") {
		t.Errorf("a key shows in %s", shown)
	}
	bad := map[string]bool{}
	for _, f := range spec.Validate() {
		bad[f.Field] = true
	}
	if !bad["key"] || !bad["base_url"] {
		t.Errorf("fields %v, want key and base_url", bad)
	}
	d, _ := testDeps(t)
	if _, err := New(spec, d); err == nil || strings.Contains(err.Error(), testKey) {
		t.Errorf("error %v", err)
	}
}

func TestKeyReferences(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) KeyRef {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return KeyRef("file:" + p)
	}
	env := func(name string) (string, bool) {
		return map[string]string{"K": " abc\n"}[name], name == "K" || name == "EMPTY"
	}
	tests := []struct {
		name string
		ref  KeyRef
		want string
		err  string
	}{
		{"none", "", "", ""},
		{"environment", "env:K", "abc", ""},
		{"file with a line end", write("key", "abc\r\n"), "abc", ""},
		{"empty variable", "env:EMPTY", "", "EMPTY"},
		{"unset variable", "env:NOPE", "", "NOPE"},
		{"no such file", KeyRef("file:" + dir + "/gone"), "", "does not exist"},
		{"a directory", KeyRef("file:" + dir), "", "cannot be read"},
		{"empty file", write("empty", " \n"), "", "holds no key"},
		{"a file of several lines", write("many", "topsecret\nother"), "", "more than a key"},
		{"not a reference", "topsecret", "", "not a reference"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.ref.resolve(env, os.ReadFile)
			if tt.err == "" {
				if err != nil || got.empty() != (tt.want == "") || !got.empty() && got.reveal() != tt.want {
					t.Errorf("%v, %v", got, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "topsecret") {
				t.Errorf("error %v, want %q and no secret", err, tt.err)
			}
		})
	}
}

func TestSanitise(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"page", "<html><head><style>b{}</style></head><body><h1>502 Bad&nbsp;Gateway</h1><script>alert('x')</script>\n<p>nginx</p></body>", "502 Bad Gateway nginx"},
		{"unknown key", "key sk-abcdefghijkl is bad", "key (not shown) is bad"},
		{"key cut by markup", "k<b></b>ey: " + testKey[:5] + "<i></i>", "k ey: sk-te"},
		{"control characters", "a\x00b\x1b[31m\u202ec", "a\uFFFD⟨NUL⟩b⟨U+001B⟩[31m⟨U+202E⟩c"},
		{"comparison is no markup", "1 < 2 and 3 > 2", "1 < 2 and 3 > 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sanitise(tt.in, newSecret(testKey)); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	if got := sanitise(strings.Repeat("é", 1000), secret{}); len([]rune(got)) != maxMessage+1 {
		t.Errorf("%d runes", len([]rune(got)))
	}
}
