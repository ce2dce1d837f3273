package main

import "github.com/spf13/cobra"

func (m *Main) traceCommand() *cobra.Command { return &cobra.Command{Use: "trace"} }
