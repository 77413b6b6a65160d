package ingest

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"plumbline/experiments/formats"
	"plumbline/models"
)

// scan reads every file and joins the records. What cannot be opened or read is a
// problem of that file, and the others are read.
func (g *Ingest) scan(ctx context.Context, paths []string, o Options) (formats.Joined, []models.ImportSource, error) {
	if o.Format != "" && !slices.Contains(formats.Formats(), formats.Format(o.Format)) {
		return formats.Joined{}, nil, models.Invalid("format", fmt.Sprintf("there is no reader %q", o.Format))
	}
	files, err := walk(paths)
	if err != nil {
		return formats.Joined{}, nil, err
	}
	j := formats.NewJoiner(formats.Options{
		Agent: o.Agent, Model: o.Model, KeepPatches: true, KeepSummaries: true, KeepSteps: true, KeepRows: true,
	})
	var sources []models.ImportSource
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return formats.Joined{}, nil, err
		}
		rep, sum, err := readFile(f, o, j.Add)
		if err != nil {
			p := &formats.Problem{Path: f.path, Message: err.Error()}
			rep.Problems = append(rep.Problems, p)
			if e := j.Add(p); e != nil {
				return formats.Joined{}, nil, e
			}
		}
		j.File(rep)
		sources = append(sources, models.ImportSource{Path: f.path, SHA256: sum, Format: string(rep.Format), Bytes: f.size})
		if o.Progress != nil {
			o.Progress(i+1, len(files))
		}
	}
	return j.Finish(), sources, nil
}

// readFile sniffs and reads one file and hashes its raw bytes on the way.
func readFile(f file, o Options, emit func(formats.Record) error) (formats.FileReport, string, error) {
	r, err := f.open()
	if err != nil {
		return formats.FileReport{Path: f.path, Problems: []*formats.Problem{}}, "", err
	}
	defer r.Close()
	h := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(r, h), formats.SniffLen)
	format := formats.Format(o.Format)
	if format == "" {
		head, err := in.Peek(formats.SniffLen)
		if err != nil && err != io.EOF {
			return formats.FileReport{Path: f.path, Problems: []*formats.Problem{}}, "", err
		}
		format, _ = formats.Sniff(f.path, head)
	}
	rep, err := formats.Read(format, in, formats.Source{Path: f.path, Size: f.size}, emit)
	if err != nil {
		return rep, "", err
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return rep, "", err
	}
	return rep, hex.EncodeToString(h.Sum(nil)), nil
}

// DryRun reads without writing anything.
func (g *Ingest) DryRun(ctx context.Context, paths []string, o Options) (formats.DryRunResult, error) {
	joined, _, err := g.scan(ctx, paths, o)
	if err != nil {
		return formats.DryRunResult{}, err
	}
	return formats.DryRun(joined), nil
}
