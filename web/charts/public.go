package charts

// WithoutLinks is f for a reader who may open no other page: the option loses
// every address, the definitions their links. The figure is copied, not changed.
func WithoutLinks(f Figure) Figure {
	f.DefURL, f.Table.NoLinks = "", true
	if f.Option != nil {
		f.Option, _ = strip(f.Option).(map[string]any)
	}
	return f
}

func strip(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			if k != "href" {
				out[k] = strip(x)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = strip(x)
		}
		return out
	}
	return v
}
