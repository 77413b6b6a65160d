package charts

import (
	"encoding/json"
	"strings"
	"testing"

	"plumbline/web/components"
)

func TestFunnel(t *testing.T) {
	t.Parallel()
	f := Funnel([]FunnelStage{
		{Name: "no code change", Entered: 121, Parts: []Part{{Mark: components.Reject, Count: 15, Href: "/r"}}},
		{Name: "generated test" + hostile, Entered: 106, Parts: []Part{{Mark: components.Reject, Count: 11}, {Mark: components.Accept, Count: 10}, {Mark: components.Errored, Count: 1}}},
		{Name: "residual", Entered: 84},
	})
	raw, err := json.Marshal(f.Option)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"value":[15,0]`, `"value":[106,0]`, `"value":[84,1]`, `"href":"/r"`, "goes on: 84 of 106"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the option lacks %s", want)
		}
	}
	if len(f.Table.Rows) != 3 || len(f.Table.Rows[0].Cells) != len(f.Table.Columns) {
		t.Errorf("table of %d rows", len(f.Table.Rows))
	}
	if page := render(t, f); strings.Contains(page, "<img src=x") {
		t.Error("a name leaves its text")
	}
	if empty := Funnel([]FunnelStage{{Name: "a"}}); empty.Option != nil || empty.Why == "" || len(empty.Table.Rows) != 0 {
		t.Errorf("without traces: %+v", empty)
	}
}
