package toolreview_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/review"
	"plumbline/experiments/toolreview"
)

func TestCommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tool, args string
		want       []string // after the script
		reads      bool
	}{
		{toolreview.ReadFile, `{"path":"pkg/a.py"}`, []string{"read", "./pkg/a.py", "1", "200"}, true},
		{toolreview.ReadFile, `{"path":"-n","from":5,"to":7}`, []string{"read", "./-n", "5", "7"}, true},
		{toolreview.ReadFile, `{"path":"a.py","from":"10"}`, []string{"read", "./a.py", "10", "209"}, true},
		{toolreview.ReadFile, `{"path":"a.py","from":9,"to":2}`, []string{"read", "./a.py", "9", "9"}, true},
		{toolreview.ReadFile, `{"path":"a.py","from":-1e99,"to":1e99}`, []string{"read", "./a.py", "1", "1000000000"}, true},
		{toolreview.ReadFile, `{"path":"/usr/lib/../x"}`, []string{"read", "/usr/x", "1", "200"}, true},
		{toolreview.Search, `{"pattern":"-e; rm -rf /"}`, []string{"search", "-e; rm -rf /", "."}, true},
		{toolreview.Search, `{"pattern":"x","path":" src "}`, []string{"search", "x", "./src"}, true},
		{toolreview.RunTool, `{"command":"go test ./..."}`, nil, false},
	} {
		got, problem := toolreview.Call{Tool: tt.tool, Args: tt.args}.Command()
		if problem != "" || got.Reads != tt.reads || got.Argv[0] != "sh" || got.Argv[1] != "-c" {
			t.Errorf("%s %s: %+v, %s", tt.tool, tt.args, got, problem)
			continue
		}
		var rest []string
		if tt.reads {
			rest = got.Argv[3:]
		} else if got.Argv[2] != "go test ./..." {
			t.Errorf("%q", got.Argv)
		}
		if diff := cmp.Diff(tt.want, rest); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.tool, tt.args, diff)
		}
	}
}

func TestRan(t *testing.T) {
	t.Parallel()
	p := toolreview.Policy{ResultBytes: 500}
	zero, two := 0, 2
	long := strings.Repeat("é", 1000) // two bytes each
	for _, tt := range []struct {
		name   string
		got    toolreview.Result
		want   string
		left   int
		within int
	}{
		{"a look", p.Ran(toolreview.Command{Reads: true}, "exit", "", &zero, []byte("a\n"), nil, false), "a\n", 0, 0},
		{"a look that finds nothing", p.Ran(toolreview.Command{Reads: true}, "exit", "", &zero, nil, nil, false), "(nothing was printed)", 0, 0},
		{"a command", p.Ran(toolreview.Command{}, "exit", "", &two, []byte("out"), []byte("bad"), false), "exit code 2\nout\nstandard error:\nbad", 0, 0},
		{"a command that ran out of time", p.Ran(toolreview.Command{}, "time", "it ran longer than 60s", nil, []byte("part"), nil, false), "The command was ended: time it ran longer than 60s. What it printed is a part.\npart", 0, 0},
		{"long", p.Ran(toolreview.Command{Reads: true}, "exit", "", &zero, []byte(long), nil, true), "1500 bytes are left out", 1500, 650},
		{"bytes that are no text", p.Ran(toolreview.Command{Reads: true}, "exit", "", &zero, []byte("\xff\xfe"), nil, false), "\uFFFD", 0, 0},
	} {
		if tt.within == 0 && tt.got.Shown != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got.Shown, tt.want)
		}
		if tt.within > 0 && (!strings.Contains(tt.got.Shown, tt.want) || len(tt.got.Shown) > tt.within || !strings.Contains(tt.got.Shown, "more was printed")) {
			t.Errorf("%s: %d bytes: %q", tt.name, len(tt.got.Shown), tt.got.Shown)
		}
		if tt.got.Left != tt.left {
			t.Errorf("%s: %d left, want %d", tt.name, tt.got.Left, tt.left)
		}
	}
}

func TestToolsAreSchemas(t *testing.T) {
	t.Parallel()
	var names []string
	for _, tool := range toolreview.Tools() {
		names = append(names, tool.Name)
		var s struct {
			Type       string
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(tool.Parameters, &s); err != nil || s.Type != "object" || tool.Description == "" {
			t.Errorf("%s: %v", tool.Name, err)
		}
		for _, r := range s.Required {
			if s.Properties[r] == nil {
				t.Errorf("%s requires %s, which it does not describe", tool.Name, r)
			}
		}
	}
	if diff := cmp.Diff([]string{"read_file", "search", "run", "decide"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	native, plain := toolreview.Prompt("1 | {{turns}} {{evidence}}\n", toolreview.Policy{Turns: 5})
	for _, m := range []review.Messages{native, plain} {
		if !strings.Contains(m.System, "at most 5 turns") || !strings.Contains(m.System, "60 seconds") || strings.Contains(m.System, "{{") {
			t.Error(m.System)
		}
		if !strings.Contains(m.User, "1 | {{turns}} {{evidence}}\n") {
			t.Errorf("the evidence is changed: %s", m.User)
		}
	}
	if strings.Contains(native.System, `{"tool"`) || !strings.Contains(plain.System, `{"tool": "run"`) {
		t.Error("the protocols are mixed up")
	}
}

func TestPolicyValidate(t *testing.T) {
	t.Parallel()
	if bad := (toolreview.Policy{}).Validate(); len(bad) > 0 {
		t.Error(bad)
	}
	if bad := (toolreview.Policy{Turns: 101, CommandS: 0.5, ResultBytes: 1}).Validate(); len(bad) != 3 {
		t.Error(bad)
	}
}

func FuzzReplies(f *testing.F) {
	f.Add(`{"tool":"run","args":{"command":"ls"}}`, `{"decision":"accept"}`)
	f.Add("<think>{\"tool\":\"run\"}</think>{\"tool\":\"search\",\"args\":\"{}\"}", "{{{{")
	f.Fuzz(func(t *testing.T, a, b string) {
		s := toolreview.Start(toolreview.Policy{Turns: 4}, review.Messages{})
		for i := 0; ; i++ {
			next := toolreview.Next(s)
			if next.Kind == toolreview.Stop {
				return
			}
			if i > 20 {
				t.Fatal("it does not end")
			}
			var o toolreview.Outcome = toolreview.Replied{Text: []string{a, b}[i%2]}
			if next.Kind == toolreview.Perform {
				o = toolreview.Ran{Results: make([]toolreview.Result, len(next.Calls))}
			}
			var err error
			if s, err = s.Observe(o); err != nil {
				t.Fatal(err)
			}
		}
	})
}
