// Packets of a pipe beside those of its film: a film that is written takes them, since the pipe cannot be
// read a second time. The thread that reads the film puts them, the one that writes takes them.
#include "io/av/av_internal.h"

#include <pthread.h>
#include <stdlib.h>

// What lies in front of its frames by more than this is not kept.
#define MOST ((size_t)64 << 20)

struct lg_av_kept {
    AVFormatContext *streams; // a copy of what they are, which nobody reads
    int film;                 // its stream
    pthread_mutex_t lock;     // guards the rest
    AVPacket **queue;
    size_t first, count, room, bytes;
    int holders;
    bool ended, lost, claimed; // no more are kept; some were lost; a film takes them
};

// ---- the streams ----------------------------------------------------------------------------------

static int copy_chapters(AVFormatContext *to, const AVFormatContext *from)
{
    to->chapters = av_calloc(from->nb_chapters + 1, sizeof *to->chapters);
    for (unsigned i = 0; to->chapters && i < from->nb_chapters; i++) {
        AVChapter *chapter = av_mallocz(sizeof *chapter);
        if (!chapter)
            return AVERROR(ENOMEM);
        const AVChapter *old = from->chapters[i];
        chapter->id = old->id;
        chapter->time_base = old->time_base;
        chapter->start = old->start;
        chapter->end = old->end;
        to->chapters[to->nb_chapters++] = chapter;
        if (av_dict_copy(&chapter->metadata, old->metadata, 0) < 0)
            return AVERROR(ENOMEM);
    }
    return to->chapters ? 0 : AVERROR(ENOMEM);
}

static int copy_stream(AVFormatContext *to, const AVStream *from)
{
    AVStream *stream = avformat_new_stream(to, NULL);
    int code = stream ? avcodec_parameters_copy(stream->codecpar, from->codecpar) : AVERROR(ENOMEM);
    if (code < 0)
        return code;
    stream->time_base = from->time_base;
    stream->disposition = from->disposition;
    code = av_dict_copy(&stream->metadata, from->metadata, 0);
    return code < 0 ? code : lg_av_copy_side_data(from, stream);
}

lg_status lg_av_kept_begin(const AVFormatContext *from, int film, lg_av_kept **out, lg_error *error)
{
    lg_av_kept *kept = calloc(1, sizeof *kept);
    if (!kept)
        return lg_fail(error, LG_ERROR_MEMORY, "no memory for the sound of a film");
    pthread_mutex_init(&kept->lock, NULL);
    kept->holders = 1;
    kept->film = film;
    kept->streams = avformat_alloc_context();
    int code =
        kept->streams ? av_dict_copy(&kept->streams->metadata, from->metadata, 0) : AVERROR(ENOMEM);
    for (unsigned i = 0; i < from->nb_streams && code >= 0; i++)
        code = copy_stream(kept->streams, from->streams[i]);
    if (code >= 0)
        code = copy_chapters(kept->streams, from);
    if (code >= 0) {
        *out = kept;
        return LG_OK;
    }
    lg_av_kept_release(&kept);
    return lg_av_fail(error, code, "the streams of the film cannot be copied");
}

AVFormatContext *lg_av_kept_streams(const lg_av_kept *kept, int *film)
{
    *film = kept->film;
    return kept->streams;
}

// ---- the packets ----------------------------------------------------------------------------------

static void drop_all(lg_av_kept *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        av_packet_free(&kept->queue[kept->first + i]);
    kept->first = kept->count = kept->bytes = 0;
}

static bool make_room(lg_av_kept *kept)
{
    if (kept->first + kept->count < kept->room)
        return true;
    if (kept->first) {
        for (size_t i = 0; i < kept->count; i++)
            kept->queue[i] = kept->queue[kept->first + i];
        kept->first = 0;
        return true;
    }
    const size_t room = kept->room ? 2 * kept->room : 64;
    AVPacket **queue = realloc(kept->queue, room * sizeof(AVPacket *));
    if (!queue)
        return false;
    kept->queue = queue;
    kept->room = room;
    return true;
}

void lg_av_kept_put(lg_av_kept *kept, const AVPacket *packet)
{
    pthread_mutex_lock(&kept->lock);
    if (!kept->ended) {
        const size_t bytes = (size_t)packet->size + sizeof *packet;
        AVPacket *copy =
            kept->bytes + bytes <= MOST && make_room(kept) ? av_packet_clone(packet) : NULL;
        if (copy) {
            kept->queue[kept->first + kept->count++] = copy;
            kept->bytes += bytes;
        } else {
            drop_all(kept);
            kept->ended = kept->lost = true;
        }
    }
    pthread_mutex_unlock(&kept->lock);
}

bool lg_av_kept_take(lg_av_kept *kept, AVPacket *packet)
{
    pthread_mutex_lock(&kept->lock);
    const bool any = kept->count > 0;
    if (any) {
        AVPacket **first = &kept->queue[kept->first++];
        kept->count--;
        kept->bytes -= (size_t)(*first)->size + sizeof **first;
        av_packet_move_ref(packet, *first);
        av_packet_free(first);
    }
    pthread_mutex_unlock(&kept->lock);
    return any;
}

bool lg_av_kept_lost(lg_av_kept *kept)
{
    pthread_mutex_lock(&kept->lock);
    const bool lost = kept->lost;
    pthread_mutex_unlock(&kept->lock);
    return lost;
}

void lg_av_kept_end(lg_av_kept *kept)
{
    pthread_mutex_lock(&kept->lock);
    drop_all(kept);
    kept->ended = true;
    pthread_mutex_unlock(&kept->lock);
}

// ---- life -----------------------------------------------------------------------------------------

bool lg_av_kept_claim(lg_av_kept *kept)
{
    pthread_mutex_lock(&kept->lock);
    const bool free = !kept->claimed;
    kept->claimed = true;
    pthread_mutex_unlock(&kept->lock);
    return free;
}

lg_av_kept *lg_av_kept_hold(lg_av_kept *kept)
{
    pthread_mutex_lock(&kept->lock);
    kept->holders++;
    pthread_mutex_unlock(&kept->lock);
    return kept;
}

void lg_av_kept_release(lg_av_kept **held)
{
    lg_av_kept *kept = *held;
    *held = NULL;
    if (!kept)
        return;
    pthread_mutex_lock(&kept->lock);
    const bool last = --kept->holders == 0;
    pthread_mutex_unlock(&kept->lock);
    if (!last)
        return;
    drop_all(kept);
    free(kept->queue);
    avformat_free_context(kept->streams);
    pthread_mutex_destroy(&kept->lock);
    free(kept);
}
