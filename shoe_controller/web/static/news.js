/* One event stream. It opens itself again whatever happens, and says when there is no news to be had. */

const SILENCE = 6000; /* milliseconds; whoever serves says every two seconds that it is alive */
const LOOK_EVERY = 1000;

const nothing = () => {};

/* `tell(news, first)` gets each message, `first` where it is complete; `lost(yes)` whether whoever serves is out of
   reach. `ended()` is called when the page may listen no longer, and `refused()` when it was not let in. Returns what
   ends it all. */
export function listen(path, { tell, lost, ended = nothing, refused = nothing }) {
  let source, heardAt, first, pages;

  const open = () => {
    heardAt = performance.now();
    first = true;
    source = new EventSource(path);
    source.onmessage = ({ data }) => {
      heard();
      tell(JSON.parse(data), first);
      first = false;
    };
    source.addEventListener("alive", heard);
    source.addEventListener("pages", ({ data }) => {
      /* There are other pages than this one since the restart. */
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
  const heard = () => {
    heardAt = performance.now();
    lost(false);
  };
  const look = () => {
    if (source.readyState === EventSource.CLOSED || performance.now() - heardAt > SILENCE) {
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
