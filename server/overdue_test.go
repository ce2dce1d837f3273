package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/server"
)

// Whatever is sent to a run after its deadline is answered with 410, which names the deadline and leaves nothing behind.
func TestF9_WhatComesLateIsGone(t *testing.T) {
	clock := fermatatest.NewClock(fermatatest.Epoch)
	hour := fermatatest.Epoch.Add(time.Hour)
	w := newWorld(t, fermata.Options{Clock: clock}, server.Options{})
	run := w.start(t, asks(), fermata.Until(hour))
	id := question(t, run)
	clock.AdvanceTo(hour.Add(90 * time.Second))
	for _, c := range []struct{ path, body string }{
		{"/interrupts/" + id + "/answer", `{"value":{"approve":true},"by":"Ada"}`},
		{"/interrupts/" + id + "/answer", `{"value":"maybe","by":"Ada"}`},
		{"/interrupts/" + id + "/claim", `{"by":"Ada"}`},
		{"/interrupts/" + id + "/reassign", `{"to":"Bob","by":"Ada"}`},
		{"/interrupts/" + id + "/escalate", `{"toRole":"head","by":"Ada"}`},
		{"/runs/" + run.ID() + "/messages/payments", `1`},
		{"/runs/" + run.ID() + "/messages/payments?wait=1m", `1`},
	} {
		status, reply := w.request(t, http.MethodPost, c.path, c.body)
		if status != http.StatusGone || !strings.Contains(reply, "the run's deadline passed at 2026-01-01T01:00:00Z, 1m30s ago") ||
			!strings.Contains(reply, `"code":"expired"`) {
			t.Errorf("%s: %d %s", c.path, status, reply)
		}
	}
}
