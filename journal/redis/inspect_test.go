package redis_test

import (
	"errors"
	"testing"

	"github.com/fermata-go/fermata/journal/redis"
)

// What is asked about is not made by asking; a server that promises too little says what else it is.
func TestInspect(t *testing.T) {
	t.Parallel()
	p := prefix(t)
	o := redis.Options{Prefix: p, Accept: redis.Memory}
	first, err := redis.Inspect(t.Context(), server(t), o)
	if err != nil || first.Server == "" || first.Latency <= 0 || first.Format != "" || first.Current == "" {
		t.Errorf("found %+v, %v", first, err)
	}
	if keys := keysOf(t, p); len(keys) > 0 {
		t.Errorf("asking has made %v", keys)
	}
	s := open(t, p)
	second, err := redis.Inspect(t.Context(), server(t), o)
	if err != nil || second.Format != second.Current || second.Promises != s.Promises() {
		t.Errorf("found %+v, %v", second, err)
	}
	weak := startOwn(t, "--save", "")
	third, err := redis.Inspect(t.Context(), weak.dsn(nil), redis.Options{})
	if !errors.Is(err, redis.ErrPromise) || third.Server == "" || third.Promises.Level != redis.Memory {
		t.Errorf("found %+v, %v", third, err)
	}
}
