package review

import (
	"encoding/json"
	"strings"
	"testing"

	"plumbline/experiments/evidence"
	"plumbline/experiments/vote"
)

func TestPromptHoldsTheTextUnexpanded(t *testing.T) {
	const text = "   1# Issue\n   2| {{evidence}} {{.}} ${HOME} %s\n"
	for _, v := range Versions() {
		m, err := Prompt(evidence.Evidence{Form: evidence.Patch, Text: text}, v)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(m.User, text) != 1 || strings.Contains(m.System, "{{") {
			t.Errorf("%s: %q", v, m.User)
		}
		for _, name := range evidence.Forms() {
			if name.UpperBound() && strings.Contains(strings.Replace(m.User, text, "", 1), string(name)) {
				t.Errorf("%s names the form %s", v, name)
			}
		}
		for _, word := range []string{"accept", "reject", "uncertain", "JSON", "rationale", "citations"} {
			if !strings.Contains(m.System, word) {
				t.Errorf("%s does not speak of %q", v, word)
			}
		}
	}
	if _, err := Prompt(evidence.Evidence{Form: evidence.Patch, Text: text}, "v0"); err == nil {
		t.Error("an unknown version was taken")
	}
	if _, err := Prompt(evidence.Evidence{Form: "packet", Text: text}, Current); err == nil {
		t.Error("an unknown form was taken")
	}
}

// The prompt of a version is pinned: a changed word is a new version.
func TestPromptVersionsAreFrozen(t *testing.T) {
	pinned := map[string]string{"v1": "ff792f9a5153ac5b"}
	for _, v := range Versions() {
		m, err := Prompt(evidence.Evidence{Form: evidence.Patch}, v)
		if err != nil {
			t.Fatal(err)
		}
		if got := Hash(Key{Messages: m})[:16]; got != pinned[v] {
			t.Errorf("prompt %s has hash %s, want %s: change the version, not its text", v, got, pinned[v])
		}
	}
}

func TestSchemaFitsTheReader(t *testing.T) {
	var s struct {
		Required   []string       `json:"required"`
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Required) != len(s.Properties) {
		t.Errorf("%d of %d properties are required; strict output needs all", len(s.Required), len(s.Properties))
	}
	for _, k := range s.Required {
		if !(decisionKeys[k] || rationaleKeys[k] || citationKeys[k] || confidenceKeys[k]) {
			t.Errorf("the reader does not know %q", k)
		}
	}
	if r := Parse(`{"rationale":"r","citations":[{"line":1,"quote":"q"}],"decision":"uncertain","confidence":0}`); r.Vote != vote.Uncertain || r.Confidence == nil || len(r.Citations) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestHashTellsRequestsApart(t *testing.T) {
	base := Key{Model: "m", Settings: "s", Messages: Messages{"sys", "user"}, VoteIndex: 1, Seed: 7}
	seen := map[string]string{Hash(base): "base"}
	for name, k := range map[string]Key{
		"model":   {"m2", "s", Messages{"sys", "user"}, 1, 7},
		"setting": {"m", "s2", Messages{"sys", "user"}, 1, 7},
		"border":  {"ms", "", Messages{"sys", "user"}, 1, 7},
		"prompt":  {"m", "s", Messages{"sysu", "ser"}, 1, 7},
		"index":   {"m", "s", Messages{"sys", "user"}, 2, 7},
		"seed":    {"m", "s", Messages{"sys", "user"}, 1, 8},
	} {
		h := Hash(k)
		if other, taken := seen[h]; taken {
			t.Errorf("%s and %s share a hash", name, other)
		}
		seen[h] = name
	}
}

func TestVoteSeed(t *testing.T) {
	seen := map[int64]bool{}
	for _, id := range []string{"a", "b"} {
		for i := range 50 {
			s := VoteSeed(7, id, i)
			if s < 0 || s >= 1<<31 || seen[s] || s != VoteSeed(7, id, i) {
				t.Errorf("seed of %s %d: %d", id, i, s)
			}
			seen[s] = true
		}
	}
}
