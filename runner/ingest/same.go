package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"plumbline/models"
)

// readersVersion is raised when readers come to read more than before, so that
// files that were imported already are read again.
const readersVersion = 1

// input stands for the files of an import and the options they are read with.
type input struct {
	sum   string
	bytes int64
}

func newInput(files []diskFile, o Options, hashOf func(diskFile) (string, error)) (input, error) {
	in := input{}
	h := sha256.New()
	fmt.Fprintf(h, "readers %d\nformat %q\nagent %q\nmodel %q\nsplit %q\n", readersVersion, o.Format, o.Agent, o.Model, o.Split)
	if o.LabelColumn != "" { // an import without one keeps the hash it has always had
		fmt.Fprintf(h, "label column %q\n", o.LabelColumn)
	}
	for _, f := range files {
		sum, err := hashOf(f)
		if err != nil {
			return input{}, err
		}
		fmt.Fprintf(h, "%q %s\n", f.path, sum)
		in.bytes += f.size
	}
	in.sum = hex.EncodeToString(h.Sum(nil))
	return in, nil
}

// sameImport finds the finished import that read the very same bytes under the
// same names with the same options. Such files need not be read again: everything
// they say is stored. Only the hashes are computed, and only if an earlier import
// had as many bytes.
func (g *Ingest) sameImport(ctx context.Context, v models.Viewer, datasetID string, files []diskFile, o Options) (input, *models.ImportReport, error) {
	var bytes int64
	for _, f := range files {
		if f.err != nil {
			return input{}, nil, nil
		}
		bytes += f.size
	}
	if o.Again {
		return input{}, nil, nil
	}
	earlier, err := g.store.SameImports(ctx, v, datasetID, bytes)
	if err != nil || len(earlier) == 0 {
		return input{}, nil, err
	}
	progress := newMeter(o.Progress, PhaseCompare, files)
	in, err := newInput(files, o, func(f diskFile) (string, error) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		defer progress.file(f)
		return hashFile(f.full, progress.read)
	})
	if err != nil {
		return input{}, nil, ctx.Err() // a file that cannot be read is told by the reading
	}
	for _, rep := range earlier {
		if rep.InputSHA256 == in.sum {
			full, err := g.store.ImportReport(ctx, v, rep.ID)
			return in, &full, err
		}
	}
	return in, nil, nil
}

// inputOf is the input that a scan has read.
func inputOf(s *scan, files []diskFile, o Options) (input, error) {
	sums := map[string]string{}
	for _, src := range s.sources {
		sums[src.Path] = src.SHA256
	}
	return newInput(files, o, func(f diskFile) (string, error) {
		if sum, ok := s.visitor.raw[f.path]; ok {
			return sum, nil
		}
		return sums[f.path], nil
	})
}

func hashFile(full string, read func(n int)) (string, error) {
	f, err := os.Open(full)
	if err != nil {
		return "", err
	}
	defer f.Close() // only reading
	h := sha256.New()
	if _, err := io.Copy(h, &ticking{f, read}); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// repeat makes the summary of an import that read the same as an earlier one.
func (s *Summary) repeat(same *models.ImportReport) error {
	if err := json.Unmarshal([]byte(same.Summary), s); err != nil {
		return fmt.Errorf("read the report of import %s: %w", same.ID, err)
	}
	s.Same = same.ID
	s.Outcomes = map[models.Imported]int{models.ImportKnown: s.Read.Attempts}
	s.Notes = []Note{}
	if c := s.Column; c != nil { // its labels are given, its conflicts as they were
		c.Outcomes[models.LabelKnown] += c.Outcomes[models.LabelGiven]
		delete(c.Outcomes, models.LabelGiven)
	}
	return nil
}
