package runner

import (
	"errors"
	"math"
	"sync"

	"plumbline/experiments/belief"
	"plumbline/experiments/stats"
)

// ScoreResult is how well a score tells correct candidates from defective ones, on
// tasks that nothing of it was fitted on.
type ScoreResult struct {
	Key, Name string
	Kind      ScoreKind
	N         int // labelled candidates that have it
	Correct   int
	Absent    int    // labelled candidates without it
	Why       string // why there is nothing to measure
	// Probability: all values lie in [0,1], so that calibration has a meaning.
	Probability  bool
	AUROC, PRR50 Measure
	PRR          stats.Number
	// Curve keeps the candidates with the highest scores first; a defective one is
	// wrong. Its coverage is of the N candidates.
	Curve      stats.Curve
	Spearman   stats.Number
	Calibrated // as it is
	// Isotonic and Platt are the score after a map fitted on other tasks; nil with
	// the reason.
	Isotonic, Platt *Calibrated
	NoMap           string
}

// Calibrated is how true the probabilities of a score are.
type Calibrated struct {
	ECE15, ECE10, ECEMass stats.Calibration
	ECE                   Measure // the first, with its interval
	BrierScore            Measure
	Brier                 stats.BrierResult
	LogLoss               stats.Number
}

// Measure is a number with its interval by task.
type Measure struct {
	stats.Number
	Interval *stats.Interval
}

// ScoreReport compares the belief with every score that is recorded, on the same
// tasks.
type ScoreReport struct {
	Scores []ScoreResult // the belief first
	Absent []RecordedScore
	Tasks  int
	Why    string // why nothing can be judged
	Lambda []float64
	Notes  []string
}

// scored is one held candidate with a score.
type scored struct {
	task  int
	score float64
	right bool
}

// Scores judges the belief and the recorded scores on held tasks. The maps of
// isotonic and Platt are fitted on beliefs of training tasks that were themselves
// made without those tasks.
func (s *Study) Scores() ScoreReport {
	var out ScoreReport
	if s.FoldError != nil {
		out.Why = s.FoldError.Error()
		return out
	}
	for _, f := range s.Fits {
		out.Tasks += len(f.Held.Tasks)
		if s.Choice.Temper {
			out.Lambda = append(out.Lambda, f.Lambda)
		}
	}
	type job struct {
		score RecordedScore
		at    int // index among the scores of the table; -1: the belief
	}
	jobs := []job{{RecordedScore{Key: "belief", Name: "belief", Kind: ScoreBelief}, -1}}
	for i, sc := range s.Recorded.Scores {
		if sc.Known == 0 {
			out.Absent = append(out.Absent, sc)
			continue
		}
		if s.comparable(sc) {
			jobs = append(jobs, job{sc, i})
		}
	}
	out.Scores = make([]ScoreResult, len(jobs))
	var wait sync.WaitGroup
	for i, j := range jobs {
		wait.Go(func() { out.Scores[i] = s.score(j.score, j.at) })
	}
	wait.Wait()
	if len(s.Critics) == 0 {
		out.Notes = append(out.Notes, "No critic is chosen: the belief is the prior, the same for every candidate.")
	}
	return out
}

// comparable leaves out the scores of arms of which no critic is chosen: a page of
// nine arms would drown in them.
func (s *Study) comparable(sc RecordedScore) bool {
	if sc.Kind != ScoreShare && sc.Kind != ScoreConfidence {
		return true
	}
	for _, c := range s.Critics {
		if c.Arm >= 0 && (sc.Key == armKey(c.Arm, "share") || sc.Key == armKey(c.Arm, "confidence")) {
			return true
		}
	}
	return s.Choice.Joint
}

func (s *Study) score(sc RecordedScore, at int) ScoreResult {
	out := ScoreResult{Key: sc.Key, Name: sc.Name, Kind: sc.Kind, NoMap: "no training task has the score"}
	var held []scored
	mapped := map[string][]scored{}
	var noMap error
	tasks := 0
	for _, f := range s.Fits {
		now, absent := s.scoresOf(f, at, tasks)
		tasks += len(f.Held.Tasks)
		held, out.Absent = append(held, now...), out.Absent+absent
		iso, platt, err := s.fitMaps(f, at)
		if err != nil {
			noMap = err
			continue
		}
		for _, x := range now {
			y := x
			x.score, y.score = iso.Map(x.score), platt.Map(y.score)
			mapped["isotonic"], mapped["platt"] = append(mapped["isotonic"], x), append(mapped["platt"], y)
		}
	}
	out.N = len(held)
	out.Probability = len(held) > 0
	for _, x := range held {
		if x.right {
			out.Correct++
		}
		out.Probability = out.Probability && x.score >= 0 && x.score <= 1
	}
	if out.N == 0 {
		out.Why = "no held candidate has both a label and this score"
		return out
	}
	o := s.resampling()
	of := groupByTask(held, tasks)
	out.rank(held, of, o)
	if out.Probability {
		out.Calibrated = calibrated(out.Key, held, of, o)
	}
	out.NoMap = ""
	if noMap != nil {
		out.NoMap = noMap.Error()
		return out
	}
	iso := calibrated(out.Key+" isotonic", mapped["isotonic"], groupByTask(mapped["isotonic"], tasks), o)
	platt := calibrated(out.Key+" platt", mapped["platt"], groupByTask(mapped["platt"], tasks), o)
	out.Isotonic, out.Platt = &iso, &platt
	return out
}

// scoresOf gives the labelled held candidates of a fold with their score.
func (s *Study) scoresOf(f belief.FoldFit, at, firstTask int) (out []scored, absent int) {
	if at < 0 {
		critics := f.Estimate.Model()
		for i, k := range f.Held.Tasks {
			for _, c := range k.Candidates {
				if c.Y != belief.Unknown {
					out = append(out, scored{firstTask + i, beliefIn(f, critics, c), c.Y == belief.Correct})
				}
			}
		}
		return out, 0
	}
	for i, k := range f.Held.Tasks {
		for _, c := range k.Candidates {
			switch {
			case c.Y == belief.Unknown:
			case math.IsNaN(c.Scores[at]):
				absent++
			default:
				out = append(out, scored{firstTask + i, c.Scores[at], c.Y == belief.Correct})
			}
		}
	}
	return out, absent
}

// beliefIn is the belief in a candidate after all its recorded outcomes.
func beliefIn(f belief.FoldFit, critics []belief.Critic, c belief.Candidate) float64 {
	llr := make([]float64, len(critics))
	for i, z := range c.Outcomes {
		llr[i] = critics[i].LLR(z)
	}
	return belief.Temper(f.Estimate.Prior.Value, llr, f.Lambda)
}

// fitMaps fits both recalibrations on the tasks that the fold was trained on.
func (s *Study) fitMaps(f belief.FoldFit, at int) (*stats.Isotonic, *stats.Platt, error) {
	held := map[string]bool{}
	for _, k := range f.Held.Tasks {
		held[k.ID] = true
	}
	train := s.Table.Where(func(k belief.Task) bool { return !held[k.ID] })
	if s.Fold == BySplit {
		train = s.designTasks()
	}
	var data []stats.Forecast
	if at >= 0 {
		for _, k := range train.Tasks {
			for _, c := range k.Candidates {
				if c.Y != belief.Unknown && !math.IsNaN(c.Scores[at]) {
					data = append(data, stats.Forecast{P: c.Scores[at], Right: c.Y == belief.Correct})
				}
			}
		}
	} else {
		folds, err := belief.KFold(train, kFolds)
		if err != nil {
			if folds, err = belief.LeaveOneOut(train); err != nil {
				return nil, nil, errors.New("too few training tasks to make their beliefs without them")
			}
		}
		inner, err := belief.CrossFit(train, folds, s.cross())
		if err != nil {
			return nil, nil, errors.New(lastWords(err))
		}
		for _, g := range inner {
			critics := g.Estimate.Model()
			for _, k := range g.Held.Tasks {
				for _, c := range k.Candidates {
					if c.Y != belief.Unknown {
						data = append(data, stats.Forecast{P: beliefIn(g, critics, c), Right: c.Y == belief.Correct})
					}
				}
			}
		}
	}
	iso, why := stats.FitIsotonic(data)
	if iso == nil {
		return nil, nil, errors.New(why)
	}
	platt, why := stats.FitPlatt(data)
	if platt == nil {
		return nil, nil, errors.New(why)
	}
	return iso, platt, nil
}

func (s *Study) designTasks() belief.Table {
	out := belief.Table{Critics: s.Table.Critics, Scores: s.Table.Scores}
	for i, k := range s.Table.Tasks {
		if s.Recorded.Splits[i] == designSplit {
			out.Tasks = append(out.Tasks, k)
		}
	}
	return out
}

// rank fills in what depends on the order of the score alone.
func (r *ScoreResult) rank(held []scored, of byTask, o stats.Options) {
	p, right := columnsOf(held)
	q := quality(right)
	r.AUROC.Number = stats.AUROC(p, right)
	r.PRR50.Number, r.PRR, r.Spearman = stats.PRR(p, q, 0.5).PRR, stats.PRR(p, q, 1).PRR, stats.Spearman(p, q)
	if r.AUROC.Value != nil && len(of) <= maxPairs {
		r.AUROC.Interval = of.auroc("auroc "+r.Key, o)
	}
	if r.PRR50.Value != nil {
		r.PRR50.Interval = of.prr("prr50 "+r.Key, 0.5, fewer(o, len(held), 500_000))
	}
	items := make([]stats.Item, len(held))
	for i, x := range held {
		items[i].Confidence = x.score
		if !x.right {
			items[i].Loss = 1
		}
	}
	r.Curve = stats.RiskCoverage(items)
}

func calibrated(label string, held []scored, of byTask, o stats.Options) Calibrated {
	forecasts := forecastsOf(held)
	out := Calibrated{
		ECE15: stats.EqualWidth(forecasts, 15), ECE10: stats.EqualWidth(forecasts, 10), ECEMass: stats.EqualMass(forecasts, 15),
		Brier: stats.Brier(forecasts, 15), LogLoss: stats.LogLoss(forecasts),
	}
	o = fewer(o, len(held), 10_000_000)
	out.ECE = Measure{out.ECE15.ECE, of.ece("ece "+label, 15, o)}
	out.BrierScore = Measure{out.Brier.Score, of.brier("brier "+label, o)}
	return out
}

func columnsOf(held []scored) (p []float64, right []bool) {
	for _, x := range held {
		p, right = append(p, x.score), append(right, x.right)
	}
	return p, right
}

func forecastsOf(held []scored) []stats.Forecast {
	out := make([]stats.Forecast, len(held))
	for i, x := range held {
		out[i] = stats.Forecast{P: x.score, Right: x.right}
	}
	return out
}

func quality(right []bool) []float64 {
	out := make([]float64, len(right))
	for i, r := range right {
		if r {
			out[i] = 1
		}
	}
	return out
}
