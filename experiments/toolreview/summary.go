package toolreview

import "plumbline/experiments/stats"

// Mean is an average over reviews with its interval; Value is nil with a reason.
type Mean struct {
	N        int
	Value    *float64
	Reason   string
	Interval *stats.Interval // percentile bootstrap over reviews
}

// Summary sets reviews of one arm side by side.
type Summary struct {
	N          int
	Ends       map[EndKind]stats.Rate // of all reviews that left a transcript
	Turns      Mean
	Commands   Mean
	Prompt     Mean // tokens; of the reviews whose every turn reported them
	Completion Mean
}

// Summarise counts. Reviews that ended in trouble leave no transcript; they are
// errors of the experiment and not in here.
func Summarise(all []Record, o stats.Options) Summary {
	s := Summary{N: len(all), Ends: map[EndKind]stats.Rate{}}
	count := map[EndKind]int{}
	var turns, commands, prompt, completion []float64
	for _, r := range all {
		count[r.End]++
		turns = append(turns, float64(r.Counts.Turns))
		commands = append(commands, float64(r.Counts.Commands))
		if n := r.Counts.Prompt; n != nil {
			prompt = append(prompt, float64(*n))
		}
		if n := r.Counts.Completion; n != nil {
			completion = append(completion, float64(*n))
		}
	}
	for _, k := range EndKinds {
		if k != Trouble {
			s.Ends[k] = stats.RateOf(count[k], len(all), "no review has left a transcript")
		}
	}
	s.Turns, s.Commands = mean("turns", turns, o), mean("commands", commands, o)
	s.Prompt, s.Completion = mean("prompt", prompt, o), mean("completion", completion, o)
	return s
}

func mean(label string, values []float64, o stats.Options) Mean {
	m := Mean{N: len(values)}
	if len(values) == 0 {
		m.Reason = "no review reports it"
		return m
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	v := sum / float64(len(values))
	m.Value = &v
	m.Interval, _ = stats.BootstrapMean("tool review "+label, values, o)
	return m
}
