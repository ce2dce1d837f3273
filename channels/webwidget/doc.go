// Package webwidget is a chat for web pages: one script, and a handler that it talks to.
//
//	widget, err := webwidget.New(webwidget.Options{
//		Conversations: driver.Conversations(), Secret: secret, Origins: []string{"https://shop.example.com"},
//	})
//	http.Handle("/widget/", widget)
//
// A page shows it by one line:
//
//	<script src="https://bot.example.com/widget/widget.js" data-title="Shop" async></script>
//
// The conversation begins in the language of data-lang, or else of the page or the browser, if the dialogue has it. The widget's own texts
// are in English, German and French, and follow the conversation; data-title, data-label, data-input, data-send, data-waiting and
// data-refused replace them.
//
// The script gets a token, which names one conversation, the page's origin and an end, and is signed. It then speaks
// package dialogue/web: messages by POST, each with an id and repeated until it is answered, and what is said as a
// stream of events, from the last one that was shown. So nothing is lost and nothing comes twice, also when the
// connection is cut, the page is loaded again or the server dies.
//
// Pages of other origins get no token, and a token is refused to them. A program that is no browser can claim any origin:
// the check protects users from other pages, and a limit of requests in front of the handler protects the handler.
package webwidget
