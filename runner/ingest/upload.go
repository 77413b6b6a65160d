package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"plumbline/models"
)

// Upload is an upload on its way in: files are added one after the other and
// stream to disk, then Start queues the reading.
type Upload struct {
	g      *Ingest
	v      models.Viewer
	Report models.ImportReport
	dir    string
	files  int
}

const optionsFile = "options.json"

// NewUpload opens an upload into a dataset.
func (g *Ingest) NewUpload(ctx context.Context, v models.Viewer, datasetID string) (*Upload, error) {
	rep, err := g.store.StartImport(ctx, v, datasetID, "upload")
	if err != nil {
		return nil, err
	}
	u := &Upload{g: g, v: v, Report: rep, dir: filepath.Join(g.uploads, rep.ID)}
	if err := os.MkdirAll(filepath.Join(u.dir, "files"), 0o700); err != nil {
		return nil, fmt.Errorf("make the upload folder: %w", err)
	}
	return u, nil
}

// Add streams one file to disk. The name may hold folders; it cannot leave the
// upload's own folder.
func (u *Upload) Add(name string, r io.Reader) error {
	clean := path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))[1:]
	if clean == "" || !filepath.IsLocal(clean) {
		return models.Invalid("files", fmt.Sprintf("%q is not a file name", name))
	}
	full := filepath.Join(u.dir, "files", filepath.FromSlash(clean))
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		return fmt.Errorf("store the upload: %w", err)
	}
	f, err := os.OpenFile(full, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return models.Invalid("files", fmt.Sprintf("%q was sent twice", name))
	}
	if err != nil {
		return fmt.Errorf("store the upload: %w", err)
	}
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		return fmt.Errorf("store the upload: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("store the upload: %w", err)
	}
	u.files++
	return nil
}

// Start queues the reading of the upload.
func (u *Upload) Start(ctx context.Context, o Options) error {
	if u.files == 0 {
		u.Drop(ctx, "no file was sent")
		return models.Invalid("files", "choose at least one file")
	}
	if _, err := splitRule(o.Split); err != nil {
		u.Drop(ctx, "the rule for the split cannot be used")
		return err
	}
	raw, err := json.Marshal(uploadOptions{o.Format, o.Agent, o.Model, o.Split, o.LabelColumn})
	if err != nil {
		return fmt.Errorf("write the upload's options: %w", err)
	}
	if err := os.WriteFile(filepath.Join(u.dir, optionsFile), raw, 0o600); err != nil {
		return fmt.Errorf("write the upload's options: %w", err)
	}
	return u.g.enqueue(ctx, u.Report.ID)
}

// Drop gives an upload up and says why in its report.
func (u *Upload) Drop(ctx context.Context, why string) {
	ctx = context.WithoutCancel(ctx)
	if err := u.g.store.FinishImport(ctx, u.v, u.Report.ID, models.ImportEnd{State: models.ReportBroken, Message: "Nothing was imported: " + why + "."}); err != nil {
		u.g.log.Error("import report not closed", "report", u.Report.ID, "err", err)
	}
	if err := os.RemoveAll(u.dir); err != nil {
		u.g.log.Error("upload not removed", "report", u.Report.ID, "err", err)
	}
}

// lostAfter is longer than any command-line import takes.
const lostAfter = 24 * time.Hour

type uploadOptions struct{ Format, Agent, Model, Split, LabelColumn string }

// PerformImport reads an upload that was queued. The files are removed when they
// are read; the report and the hashes of the sources stay.
func (g *Ingest) PerformImport(ctx context.Context, reportID string) error {
	v := models.LocalAdmin() // who may import here was decided when it was sent
	rep, err := g.store.ImportReport(ctx, v, reportID)
	if err != nil {
		return err
	}
	if rep.State != models.ReportRunning {
		return nil
	}
	dir := filepath.Join(g.uploads, filepath.Base(reportID))
	raw, err := os.ReadFile(filepath.Join(dir, optionsFile))
	if err != nil {
		return fmt.Errorf("read upload %s: %w", reportID, err)
	}
	var o uploadOptions
	if err := json.Unmarshal(raw, &o); err != nil {
		return fmt.Errorf("read upload %s: %w", reportID, err)
	}
	_, err = g.fill(ctx, v, rep, []string{filepath.Join(dir, "files")}, Options{Format: o.Format, Agent: o.Agent, Model: o.Model, Split: o.Split, LabelColumn: o.LabelColumn})
	if e := os.RemoveAll(dir); e != nil {
		g.log.Error("upload not removed", "report", reportID, "err", e)
	}
	return err
}

// CloseLost closes reports of command-line imports and uploads whose files are
// gone, which a killed process left open. A queued upload whose files are there
// is left to its job.
func (g *Ingest) CloseLost(ctx context.Context) error {
	v := models.LocalAdmin()
	open, err := g.store.OpenImports(ctx)
	if err != nil {
		return err
	}
	for _, rep := range open {
		if _, err := os.Stat(filepath.Join(g.uploads, rep.ID, optionsFile)); err == nil {
			continue
		}
		if rep.Origin != "upload" && g.store.Now().Sub(rep.CreatedAt) < lostAfter {
			continue // a command line may be at it this minute
		}
		const message = "The process ended before the import did. What was read before is stored; importing again adds only the rest."
		if err := g.store.FinishImport(ctx, v, rep.ID, models.ImportEnd{State: models.ReportBroken, Message: message}); err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(g.uploads, rep.ID)); err != nil {
			return fmt.Errorf("remove a lost upload: %w", err)
		}
	}
	return nil
}
