/* One event stream. It reconnects by itself, and reports when the server is out of reach. */

const SILENCE = 6000; /* milliseconds; the server sends a sign of life every two seconds */
const LOOK_EVERY = 1000;

const nothing = () => {};

/* `update(message, first)` gets each message, `first` where it is complete; `lost(yes)` whether the server is out of reach.
   `ended()` is called when the page's session is over, and `refused()` when the stream was refused. Returns a function
   that closes the stream. */
export function listen(path, { update, lost, ended = nothing, refused = nothing }) {
  let source, receivedAt, first, pages;

  const open = () => {
    receivedAt = performance.now();
    first = true;
    source = new EventSource(path);
    source.onmessage = ({ data }) => {
      received();
      update(JSON.parse(data), first);
      first = false;
    };
    source.addEventListener("alive", received);
    source.addEventListener("pages", ({ data }) => {
      /* The server restarted with newer pages than this one. */
      if (pages !== undefined && pages !== data) location.reload();
      pages = data;
      first = true;
    });
    source.addEventListener("ended", () => {
      stop();
      ended();
    });
    source.onerror = () => {
      lost(true);
      if (source.readyState === EventSource.CLOSED) refused();
    };
  };
  const received = () => {
    receivedAt = performance.now();
    lost(false);
  };
  const look = () => {
    if (source.readyState === EventSource.CLOSED || performance.now() - receivedAt > SILENCE) {
      lost(true);
      source.close();
      open();
    }
  };
  const stop = () => {
    clearInterval(looking);
    source.close();
  };
  open();
  const looking = setInterval(look, LOOK_EVERY);
  return stop;
}
