package ingest

import (
	"context"
	"encoding/json"
	"fmt"

	"plumbline/experiments/trace"
	"plumbline/models"
)

// Import reads paths into a dataset and returns the finished report. A file that
// cannot be read is a line of the report; an error means that nothing more could
// be stored, and the report says so.
func (g *Ingest) Import(ctx context.Context, v models.Viewer, datasetID string, paths []string, o Options) (models.ImportReport, Summary, error) {
	if _, err := splitRule(o.Split); err != nil {
		return models.ImportReport{}, Summary{}, err
	}
	rep, err := g.store.StartImport(ctx, v, datasetID, originOf(paths))
	if err != nil {
		return rep, Summary{}, err
	}
	sum, err := g.fill(ctx, v, rep, paths, o)
	if err != nil {
		return rep, sum, err
	}
	rep, err = g.store.ImportReport(ctx, v, rep.ID)
	return rep, sum, err
}

func splitRule(text string) (trace.SplitRule, error) {
	rule, err := trace.ParseSplitRule(text)
	if err != nil {
		return rule, models.Invalid("split", err.Error())
	}
	return rule, nil
}

// fill does the work of an open report and closes it.
func (g *Ingest) fill(ctx context.Context, v models.Viewer, rep models.ImportReport, paths []string, o Options) (Summary, error) {
	sum := newSummary()
	end, err := g.read(ctx, v, rep.DatasetID, paths, o, &sum)
	end.State, end.Message = models.ReportDone, sum.sentence()
	if err != nil {
		end.State, end.Message = models.ReportBroken, "The import ended early: "+err.Error()+". What was read before is stored; importing again adds only the rest."
		end.InputSHA256 = ""
	}
	raw, e := json.Marshal(sum)
	if e != nil {
		return sum, fmt.Errorf("write the import summary: %w", e)
	}
	added := sum.added()
	end.Summary, end.Records, end.Added, end.Problems = string(raw), &sum.Read.Records, &added, &sum.Read.Problems
	if e := g.store.FinishImport(context.WithoutCancel(ctx), v, rep.ID, end); e != nil && err == nil {
		err = e
	}
	return sum, err
}

// read imports in two passes. The first joins what the files say without keeping
// texts, the second fetches the texts that the store lacks and stores attempt by
// attempt; so that memory does not grow with the size of the files.
func (g *Ingest) read(ctx context.Context, v models.Viewer, datasetID string, paths []string, o Options, sum *Summary) (end models.ImportEnd, err error) {
	split, err := splitRule(o.Split)
	if err != nil {
		return end, err
	}
	files, err := listDisk(paths)
	if err != nil {
		return end, err
	}
	input, same, err := g.sameImport(ctx, v, datasetID, files, o)
	if err != nil {
		return end, err
	}
	if same != nil {
		end.InputSHA256, end.InputBytes = input.sum, input.bytes
		return end, sum.repeat(same)
	}
	storing := &storing{
		store: g.store, viewer: v, dataset: datasetID, run: models.NewImportRun(), split: split, sum: sum, seen: map[string]bool{},
	}
	s, err := g.scan(ctx, files, o, false, storing)
	if err != nil {
		return end, err
	}
	sum.Read, sum.Files, end.Sources = s.joined.Report, s.joined.Files, s.sources
	var lost map[string]int
	if s.window == nil || !s.window.on {
		if lost, err = g.fetch(ctx, s, storing, newMeter(o.Progress, PhaseStore, files)); err != nil {
			return end, err
		}
	}
	if err := g.label(ctx, v, datasetID, s, sum); err != nil {
		return end, err
	}
	for _, p := range sortedKeys(lost) {
		sum.problem(changedProblem(p, lost[p]))
	}
	if !s.failed && len(lost) == 0 {
		in, err := inputOf(s, files, o)
		if err != nil {
			return end, err
		}
		end.InputSHA256, end.InputBytes = in.sum, in.bytes
	}
	return end, nil
}

// fetch is the second pass. It returns how many records of each path were not as
// they were in the first.
func (g *Ingest) fetch(ctx context.Context, s *scan, st *storing, progress *meter) (map[string]int, error) {
	plan, err := g.store.PlanImport(ctx, st.viewer, st.dataset)
	if err != nil {
		return nil, err
	}
	needs, err := findNeeds(ctx, plan, s)
	if err != nil {
		return nil, err
	}
	f := newFilling(s, needs, st, g.uploads)
	if err := f.run(ctx, progress); err != nil {
		return nil, err
	}
	return f.lost(), nil
}
