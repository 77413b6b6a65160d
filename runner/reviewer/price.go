package reviewer

import "strings"

// Price is a versioned price in US dollars per million tokens. A nil entry is
// unknown; a cost that needs it is unknown too.
type Price struct {
	Version            string   `json:"version"`
	InputPerMTok       *float64 `json:"input_per_mtok,omitempty"`
	OutputPerMTok      *float64 `json:"output_per_mtok,omitempty"`
	CachedInputPerMTok *float64 `json:"cached_input_per_mtok,omitempty"` // nil: cached tokens cost the input price
	CacheWritePerMTok  *float64 `json:"cache_write_per_mtok,omitempty"`  // nil: cache writes cost the input price
}

// Cost is what a usage costs in US dollars. Cached and cache-write tokens are part
// of the prompt tokens and are charged once, at their own price. Nil, which is
// unknown and never 0: no price table, no usage, or a price that the usage needs and
// the table lacks.
func (p *Price) Cost(u Usage) *float64 {
	if p == nil || u.PromptTokens == nil || u.CompletionTokens == nil {
		return nil
	}
	cached, written := orZero(u.CachedTokens), orZero(u.CacheWriteTokens)
	plain := max(*u.PromptTokens-cached-written, 0)
	total := 0.0
	for _, x := range []struct {
		tokens int64
		price  *float64
	}{
		{plain, p.InputPerMTok}, {*u.CompletionTokens, p.OutputPerMTok},
		{cached, or(p.CachedInputPerMTok, p.InputPerMTok)}, {written, or(p.CacheWritePerMTok, p.InputPerMTok)},
	} {
		if x.tokens == 0 {
			continue
		}
		if x.price == nil {
			return nil
		}
		total += float64(x.tokens) * *x.price / 1e6
	}
	return &total
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func or(a, b *float64) *float64 {
	if a != nil {
		return a
	}
	return b
}

func (p *Price) validate() []FieldError {
	if p == nil {
		return nil
	}
	var out []FieldError
	if strings.TrimSpace(p.Version) == "" {
		out = append(out, FieldError{"price.version", "is needed, so that a cost can name its price"})
	}
	for _, x := range []struct {
		field string
		v     *float64
	}{
		{"price.input_per_mtok", p.InputPerMTok}, {"price.output_per_mtok", p.OutputPerMTok},
		{"price.cached_input_per_mtok", p.CachedInputPerMTok}, {"price.cache_write_per_mtok", p.CacheWritePerMTok},
	} {
		if x.v != nil && !(*x.v >= 0 && *x.v < 1e6) {
			out = append(out, FieldError{x.field, "must not be negative"})
		}
	}
	return out
}
