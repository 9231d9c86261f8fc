// Command go-program connects to a gateway like the existing Go clients of the Ozzie protocol. It dials with the defaults of
// coder/websocket, and treats the next message as the response to a request. From an event, it reads only the inner payload.
// Lines on standard input answer the prompts.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
)

type frame struct {
	Type      string          `json:"type"`
	ID        string          `json:"id,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	OK        *bool           `json:"ok,omitempty"`
	Payload   json.RawMessage `json:"payload,omitempty"`
	Error     string          `json:"error,omitempty"`
	Event     string          `json:"event,omitempty"`
	SessionID string          `json:"session_id,omitempty"`
}

type event struct {
	ID        string         `json:"id"`
	SessionID string         `json:"session_id"`
	Type      string         `json:"type"`
	Timestamp time.Time      `json:"timestamp"`
	Source    string         `json:"source"`
	Payload   map[string]any `json:"payload"`
}

type opening struct {
	SessionID string `json:"session_id,omitempty"`
	RootDir   string `json:"root_dir,omitempty"`
}

type prompt struct {
	Type    string `json:"type"`
	Label   string `json:"label"`
	Token   string `json:"token"`
	Options []struct {
		Value string `json:"value"`
		Label string `json:"label"`
	} `json:"options"`
}

type client struct {
	ctx      context.Context
	conn     *websocket.Conn
	requests int
	lines    *bufio.Scanner
	// Answers each prompt without a value, like the first release of the clients.
	valueless bool
	// Approves each prompt without reading a line.
	yes bool
}

func main() {
	gateway := flag.String("gateway", "ws://127.0.0.1:18420/api/ws", "address of the gateway")
	session := flag.String("s", "", "session to resume")
	yes := flag.Bool("y", false, "approve every prompt")
	valueless := flag.Bool("valueless", false, "answer prompts as the first release")
	tui := flag.Bool("tui", false, "print final messages only, as the TUI; every argument is a message")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, *gateway, nil)
	if err != nil {
		fail(err)
	}
	c := &client{ctx: ctx, conn: conn, lines: bufio.NewScanner(os.Stdin), valueless: *valueless, yes: *yes}
	if err := c.talk(*session, *tui, flag.Args()); err != nil {
		fail(err)
	}
	if err := conn.Close(websocket.StatusNormalClosure, "bye"); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}

func (c *client) talk(session string, tui bool, messages []string) error {
	directory, err := os.Getwd()
	if err != nil {
		return err
	}
	opened, err := c.call("open_session", opening{SessionID: session, RootDir: directory})
	if err != nil {
		return err
	}
	var result struct {
		SessionID string `json:"session_id"`
	}
	if err := json.Unmarshal(opened, &result); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "session:", result.SessionID)
	if tui && session != "" {
		history, err := c.call("load_messages", map[string]int{"limit": 10})
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "history: %s\n", history)
	}
	if c.yes && !tui {
		if _, err := c.call("accept_all_tools", nil); err != nil {
			return err
		}
	}
	for _, message := range messages {
		if err := c.send("send_message", map[string]string{"content": message}); err != nil {
			return err
		}
		if err := c.reply(tui); err != nil {
			return err
		}
	}
	return nil
}

// reply prints the reply to a message and returns after the final message. An error in the final message is returned.
func (c *client) reply(tui bool) error {
	streamed := false
	for {
		received, err := c.read()
		if err != nil {
			return err
		}
		if received.Event == "" {
			continue
		}
		var happened event
		if err := json.Unmarshal(received.Payload, &happened); err != nil {
			return fmt.Errorf("%s cannot be decoded: %w", received.Event, err)
		}
		switch received.Event {
		case "assistant.stream":
			if text, _ := happened.Payload["content"].(string); !tui && text != "" {
				fmt.Print(text)
				streamed = true
			}
		case "tool.call":
			fmt.Fprintln(os.Stderr, "tool:", happened.Payload["name"], happened.Payload["status"])
		case "prompt.request":
			if err := c.answer(happened); err != nil {
				return err
			}
		case "assistant.message":
			if text, _ := happened.Payload["error"].(string); text != "" {
				return errors.New("agent error: " + text)
			}
			if !streamed {
				fmt.Print(happened.Payload["content"])
			}
			fmt.Println()
			return nil
		}
	}
}

func (c *client) answer(happened event) error {
	data, err := json.Marshal(happened.Payload)
	if err != nil {
		return err
	}
	var asked prompt
	if err := json.Unmarshal(data, &asked); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", asked.Type, asked.Label)
	respond := func(name string, value any) error {
		return c.send("prompt_response", map[string]any{"token": asked.Token, name: value})
	}
	if c.yes {
		return respond("cancelled", false)
	}
	if !c.lines.Scan() {
		return respond("cancelled", true)
	}
	line := strings.TrimSpace(c.lines.Text())
	switch {
	case c.valueless || asked.Type == "confirm":
		return respond("cancelled", line != "y")
	case asked.Type == "select":
		for n, option := range asked.Options {
			if line == strconv.Itoa(n+1) {
				fmt.Fprintln(os.Stderr, "chosen:", option.Label)
				return respond("value", option.Value)
			}
		}
		return respond("cancelled", true)
	default:
		return respond("value", line)
	}
}

func (c *client) call(method string, params any) (json.RawMessage, error) {
	if err := c.send(method, params); err != nil {
		return nil, err
	}
	response, err := c.read()
	if err != nil {
		return nil, err
	}
	if response.OK != nil && !*response.OK {
		return nil, fmt.Errorf("%s failed: %s", method, response.Error)
	}
	return response.Payload, nil
}

func (c *client) send(method string, params any) error {
	c.requests++
	request := frame{Type: "req", ID: fmt.Sprintf("req-%d", c.requests), Method: method}
	if params != nil {
		data, err := json.Marshal(params)
		if err != nil {
			return err
		}
		request.Params = data
	}
	data, err := json.Marshal(request)
	if err != nil {
		return err
	}
	return c.conn.Write(c.ctx, websocket.MessageText, data)
}

func (c *client) read() (frame, error) {
	_, data, err := c.conn.Read(c.ctx)
	if err != nil {
		return frame{}, err
	}
	var received frame
	err = json.Unmarshal(data, &received)
	return received, err
}
