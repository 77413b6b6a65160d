package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/cascade"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/runnertest"
)

// Who may look but not edit sees checks and tests, and nothing of the reference
// patch or of the official tests: not on the funnel, not among the checks, not as a
// raw text, and not in label runs.
func TestCheckRoles(t *testing.T) {
	t.Parallel()
	ctx, admin := context.Background(), models.LocalAdmin()
	b := runnertest.New(t, modelstest.SQLite(t))
	d, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := b.Store.Traces(ctx, admin, models.TraceFilter{DatasetID: d.ID}, models.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	id := rows[0].ID
	set, err := b.Store.OpenCheckSet(ctx, id, strings.Repeat("c", 64), "{}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Store.AddGeneratedTest(ctx, models.GeneratedTest{SetID: set.ID, Attempt: 1, Generator: "g", Path: "test_x.py"}, models.GeneratedTestText{Source: "THE-TEST"}); err != nil {
		t.Fatal(err)
	}
	for _, side := range []models.TestSide{models.OnBase, models.OnPatched, models.OnGold} {
		if err := b.Store.SaveTestRun(ctx, set.ID, 1, side, models.TestRun{Result: "failed", Headline: "SECRET-OF-" + string(side), Output: "OUTPUT-OF-" + string(side)}); err != nil {
			t.Fatal(err)
		}
	}
	h := newHandlers(Config{Store: b.Store, Runner: b.Runner, Ingest: b.Ingest, Project: b.Project, Log: slog.New(slog.DiscardHandler), Version: "test"})
	t.Cleanup(h.hub.close)
	open := func(v models.Viewer, do echo.HandlerFunc, params ...string) (string, error) {
		t.Helper()
		rec := httptest.NewRecorder()
		c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/", nil), rec)
		var names, values []string
		for i := 0; i+1 < len(params); i += 2 {
			names, values = append(names, params[i]), append(values, params[i+1])
		}
		c.SetParamNames(names...)
		c.SetParamValues(values...)
		c.Set(viewerKey, v)
		err := do(c)
		return rec.Body.String(), err
	}
	looker := models.Viewer{Name: "v", Roles: map[string]models.Role{b.Project.ID: models.RoleViewer}}
	for _, tt := range []struct {
		v    models.Viewer
		gold bool
	}{{admin, true}, {looker, false}} {
		page, err := open(tt.v, h.checksShow, "id", id)
		if err != nil || !strings.Contains(page, "THE-TEST") || !strings.Contains(page, "SECRET-OF-base") || !strings.Contains(page, "SECRET-OF-patched") {
			t.Errorf("%s: %v, checks lack the test or its runs", tt.v.Name, err)
		}
		if strings.Contains(page, "OF-gold") != tt.gold || strings.Contains(page, "on the reference") != tt.gold {
			t.Errorf("%s sees of the reference patch: %t", tt.v.Name, !tt.gold)
		}
		text, err := open(tt.v, h.checksText, "id", id, "set", set.ID, "attempt", "1", "part", "gold")
		if err != nil || (text == "OUTPUT-OF-gold") != tt.gold {
			t.Errorf("%s reads %q, %v", tt.v.Name, text, err)
		}
	}
	audited := runner.CascadeConfig{Checks: runner.ChecksSpec{Audit: true}}
	if m, why := auditView(cascade.AuditTable{}, audited, false); m != nil || why == "" {
		t.Error("who may not edit gets the audit")
	}
	if m, _ := auditView(cascade.AuditTable{Cells: map[cascade.Cell]int{{Patch: cascade.Passed, Gold: cascade.FailedTest, Truth: trace.Acceptable}: 2}}, audited, true); m == nil || len(m.Cells) != 8 {
		t.Error("an editor gets no audit of eight cells")
	}
	if _, err := open(models.Viewer{Name: "s"}, h.checksShow, "id", id); err == nil {
		t.Error("a stranger sees checks")
	}
}
