package handlers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"plumbline/handlers/handlertest"
	"plumbline/models"
	"plumbline/models/modelstest"
)

// drag drops files or folders of the disk onto the point of the page where an
// element is.
func drag(b *handlertest.Browser, selector string, paths ...string) {
	at := handlertest.Script[[]float64](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + 8]; })()`, selector))
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		b.Do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
			_, err := chromedp.Call(ctx, input.DispatchDragEvent, input.DispatchDragEventParams{
				Type: kind, X: at[0], Y: at[1], Data: &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1},
			})
			return chromedp.Void{}, err
		})
	}
}

// Files that are chosen, a folder that is chosen and a folder that is dropped go up
// together, with their paths, and the page shows the report; at 1280 and at 390
// pixels, in light and dark.
func TestUploadInABrowser(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return full
	}
	one := func(id string) string {
		return fmt.Sprintf(`{"instance_id":%q,"model_name_or_path":"bot","model_patch":"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+%s\n"}`+"\n", id, id)
	}
	single := write("one.jsonl", one("acme__shop-1"))
	write("chosen/preds.jsonl", one("acme__shop-2"))
	write("dropped/deep/preds.jsonl", one("acme__shop-3"))
	for i := range 150 { // more than a browser lists in one answer
		write(fmt.Sprintf("dropped/logs/acme__shop-%d/report.json", 1000+i), fmt.Sprintf(`{"acme__shop-%d":{"patch_is_None":false,"patch_exists":true,"patch_successfully_applied":true,"resolved":true}}`, 1000+i))
	}
	site := handlertest.New(t, modelstest.SQLite(t), nil)
	for i, size := range []struct {
		width int64
		dark  bool
	}{{1280, false}, {390, true}} {
		b := site.NewBrowser(t, size.width, 900)
		b.Dark(size.dark)
		b.Do(chromedp.Navigate(site.URL+"/import"), chromedp.WaitVisible(chromedp.CSS("form[data-upload]")))
		if wide := handlertest.Script[float64](b, "document.documentElement.scrollWidth"); wide > float64(size.width) {
			t.Errorf("at %d the page is %v wide", size.width, wide)
		}
		handlertest.Script[bool](b, fmt.Sprintf(`(() => { document.querySelector("[name=dataset]").value = "new"; document.querySelector("[name=name]").value = "up %d"; return true; })()`, i))
		b.Do(
			chromedp.SetUploadFiles(chromedp.CSS("#f-files"), []string{single}),
			chromedp.SetUploadFiles(chromedp.CSS("#f-folder"), []string{filepath.Join(dir, "chosen")}),
		)
		b.Until("the chosen files to be listed", `document.querySelectorAll("[data-drop-list] li").length === 2`)
		drag(b, "[data-drop]", filepath.Join(dir, "dropped"))
		b.Until("the dropped files to be listed", `document.querySelectorAll("[data-drop-list] li").length === 153`)
		if said := b.Text("[data-upload-status]"); !strings.HasPrefix(said, "153 files, ") {
			t.Errorf("the page says %q", said)
		}
		b.Do(chromedp.Click(chromedp.CSS("form[data-upload] button.button-primary")))
		b.Until("the report to be shown", `location.pathname.startsWith("/imports/im_")`)
		stop := site.Work(t, 2)
		b.Until("the report to be finished", `document.querySelector("#report .import-state") && document.querySelector("#report .import-state").textContent.includes("done")`)
		stop()
		ds, err := site.Store.Datasets(context.Background(), models.LocalAdmin())
		if err != nil {
			t.Fatal(err)
		}
		rows, _, err := site.Store.Traces(context.Background(), models.LocalAdmin(), models.TraceFilter{DatasetID: ds[0].ID}, models.Page{Sort: "instance", Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rows {
			if r.Agent == "bot" {
				got = append(got, r.InstanceID)
			}
		}
		if want := "acme__shop-1 acme__shop-2 acme__shop-3"; strings.Join(got, " ") != want {
			t.Errorf("imported %v, want %s", got, want)
		}
		files := b.Text("#files")
		for _, want := range []string{"one.jsonl", "chosen/preds.jsonl", "dropped/deep/preds.jsonl", "dropped/logs/acme__shop-1149/report.json"} {
			if !strings.Contains(files, want) {
				t.Errorf("the report does not list %s", want)
			}
		}
		if len(b.Problems)+len(b.Foreign) > 0 {
			t.Errorf("the browser complains: %v %v", b.Problems, b.Foreign)
		}
	}
}
